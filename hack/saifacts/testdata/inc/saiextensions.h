#if !defined (__SAIEXTENSIONS_H_)
#define __SAIEXTENSIONS_H_

#include <saigate.h>

typedef enum _sai_gate_attr_extensions_t
{
    /**
     * @type bool
     * @flags READ_ONLY
     */
    SAI_GATE_ATTR_RUST = 0x20000000,
} sai_gate_attr_extensions_t;

typedef enum _sai_gate_stat_extensions_t
{
    SAI_GATE_STAT_SQUEAKS = 0x20000000,
} sai_gate_stat_extensions_t;

#endif
