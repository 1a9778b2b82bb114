module xon

go 1.26
