package completion

// zshScript has zsh take off the quotes of each word, and put them on what it inserts.
//
// Source: zsh's manual, sections Completion Widgets and Parameter Expansion Flags.
const zshScript = `#compdef %[1]s
compdef _%[1]s %[1]s
_%[1]s() {
    local program=${(Q)words[1]} typed=${(Q)PREFIX} flag= line
    local -a before lines names shown how
    before=("${(@Q)words[2,CURRENT-1]}")
    [[ -n $QIPREFIX ]] && typed=$PREFIX
    lines=("${(@f)$("${program/#\~/$HOME}" __complete "${before[@]}" "$typed" 2>/dev/null)}")
    local -i directive=${${lines[-1]}#:}
    lines[-1]=()
    (( directive & 1 )) && return 1
    [[ $typed == -*=* ]] && flag=${typed%%=*}=
    for line in "${lines[@]}"; do
        [[ -z $line || $line == _activeHelp_* ]] && continue
        names+=("$flag${line%%$'\t'*}")
        shown+=("$flag${line/$'\t'/  -- }")
    done
    (( directive & 2 )) && how+=(-S '')
    (( directive & 32 )) && how+=(-V %[1]s)
    if (( $#names == 0 )); then
        (( directive & 4 )) || _files
        return
    fi
    compadd "${how[@]}" -d shown -a names
}
if [ "$funcstack[1]" = "_%[1]s" ]; then
    _%[1]s
fi
`

// fishScript has fish hand over the words without quotes.
//
// Source: fish's manual, commandline (-p, -c, -o, -t), string unescape and complete.
const fishScript = `# fish completion for %[1]s
function __%[1]s_answer
    set -l before (commandline -opc)
    set -l typed (commandline -ct | string replace -r '^[\'"]' '' | string unescape)
    test -n "$typed"; or set typed ''
    set -l lines ($before[1] __complete $before[2..-1] "$typed" 2>/dev/null)
    set -l directive (string replace : '' -- $lines[-1])
    set -l flag (string match -r -- '^-[^=]*=' "$typed")
    string match -qr '^[0-9]+$' -- "$directive"; or return
    set -l found 0
    for line in $lines[1..-2]
        string match -q -- '_activeHelp_*' $line; and continue
        test -n "$line"; or continue
        printf '%s%s\n' "$flag" $line
        set found 1
    end
    if test $found = 0 -a (math "floor($directive / 4) % 2") = 0
        __fish_complete_path "$typed"
    end
end
complete -c %[1]s -e
complete -c %[1]s -f -k -a '(__%[1]s_answer)'
`
