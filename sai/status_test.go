package sai_test

import (
	"errors"
	"fmt"
	"testing"

	"xon/sai"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		st          sai.Status
		name, words string
		class       sai.Status
		index       int
	}{
		{0, "SAI_STATUS_SUCCESS", "success", 0, -1},
		{sai.StatusTableFull, "SAI_STATUS_TABLE_FULL", "table full", sai.StatusTableFull, -1},
		{sai.StatusInvalidAttribute0, "SAI_STATUS_INVALID_ATTRIBUTE_0", "invalid attribute 0", sai.StatusInvalidAttribute0, 0},
		{sai.StatusInvalidAttrValue0 - 3, "SAI_STATUS_INVALID_ATTR_VALUE_3", "invalid attr value 3", sai.StatusInvalidAttrValue0, 3},
		{sai.StatusInvalidAttrValue0 + 3, "SAI_STATUS_INVALID_ATTR_VALUE_3", "invalid attr value 3", sai.StatusInvalidAttrValue0, 3},
		{sai.StatusInvalidAttribute0 + 1, "SAI_STATUS_INVALID_ATTRIBUTE_1", "invalid attribute 1", sai.StatusInvalidAttribute0, 1},
		{sai.StatusUnknownAttribute0 - 12, "SAI_STATUS_UNKNOWN_ATTRIBUTE_12", "unknown attribute 12", sai.StatusUnknownAttribute0, 12},
		{sai.StatusAttrNotSupported0 - 1, "SAI_STATUS_ATTR_NOT_SUPPORTED_1", "attr not supported 1", sai.StatusAttrNotSupported0, 1},
		{-99, "SAI_STATUS_-99", "-99", -99, -1},
		{99, "SAI_STATUS_99", "99", 99, -1},
		{-1 << 31, "SAI_STATUS_-2147483648", "-2147483648", -1 << 31, -1},
	} {
		class, index := c.st.Attr()
		if c.st.Name() != c.name || c.st.Error() != c.words || class != c.class || index != c.index {
			t.Errorf("%d is %s, %q, %d, %d; want %s, %q, %d, %d", c.st, c.st.Name(), c.st.Error(), class, index, c.name, c.words, c.class, c.index)
		}
		if err := c.st.Err(); (err == nil) != (c.st == 0) {
			t.Errorf("Err of %d is %v", c.st, err)
		}
	}
}

func TestRetriable(t *testing.T) {
	t.Parallel()
	for st, want := range map[sai.Status]bool{
		sai.StatusInsufficientResources: true, sai.StatusTableFull: true, sai.StatusObjectInUse: true, sai.StatusNotExecuted: true,
		sai.StatusSuccess: false, sai.StatusInvalidParameter: false, sai.StatusNotSupported: false, sai.StatusInvalidAttrValue0 - 2: false,
	} {
		err := fmt.Errorf("write the row: %w", &sai.Error{Op: "set", Object: sai.Queue{}.Meta(), Status: st})
		if sai.Retriable(err) != want {
			t.Errorf("Retriable(%s) is not %v", st.Name(), want)
		}
	}
	if sai.Retriable(nil) || sai.Retriable(errors.New("other")) {
		t.Error("what is no status is retriable")
	}
}
