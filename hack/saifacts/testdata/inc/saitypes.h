#if !defined (__SAITYPES_H_)
#define __SAITYPES_H_

#if defined(_WIN32)
typedef UINT8 uint8_t;
#else  /* on Linux */
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#define _In_
#define _Out_
#define _Inout_
#define _In_reads_z_(_LEN_)
#endif  // _WIN32

typedef int32_t   sai_status_t;
typedef uint32_t  sai_attr_id_t;
typedef uint32_t  sai_stat_id_t;
typedef uint8_t   sai_mac_t[6];
typedef uint64_t  sai_object_id_t;
typedef void     *sai_pointer_t;
typedef uint64_t  sai_uint64_t;

#define SAI_NULL_OBJECT_ID 0L
#define SAI_HALF_RANGE     (1 << 3)
#define SAI_RANGE          (SAI_HALF_RANGE * 2 - 1)
#define SAI_KEY_COLOR      "SAI_COLOR"
#define SAI_NOTHING

/**
 * @brief Object types
 */
typedef enum _sai_object_type_t
{
    SAI_OBJECT_TYPE_NULL       = 0, /**< no object */

    SAI_OBJECT_TYPE_GATE       = 1,
    SAI_OBJECT_TYPE_GATE_ENTRY = 2,
    SAI_OBJECT_TYPE_SWITCH     = 33,

    SAI_OBJECT_TYPE_MAX,

    SAI_OBJECT_TYPE_CUSTOM_RANGE_START = 0x10000000,

    SAI_OBJECT_TYPE_CUSTOM_RANGE_END

} sai_object_type_t;

typedef enum _sai_api_t
{
    SAI_API_UNSPECIFIED = 0,
    SAI_API_GATE        = 20,
    SAI_API_SWITCH      = 1,
    SAI_API_MAX         = 21
} sai_api_t;

/**
 * @brief How a bulk call goes on
 *
 * @flags strict
 */
typedef enum _sai_bulk_op_error_mode_t
{
    SAI_BULK_OP_ERROR_MODE_STOP_ON_ERROR,
    SAI_BULK_OP_ERROR_MODE_IGNORE_ERROR,
} sai_bulk_op_error_mode_t;

typedef enum _sai_stats_mode_t
{
    SAI_STATS_MODE_READ = 1 << 0,
    SAI_STATS_MODE_BULK = SAI_STATS_MODE_READ << 2,
} sai_stats_mode_t;

/* A struct with a list */
typedef struct _sai_u16_list_t
{
    uint32_t count;
    uint16_t *list;
} sai_u16_list_t;

typedef struct _sai_hinge_t
{
    uint8_t width;

    /** @brief From -180 to 180 */
    int16_t angle[2][3];

    /**
     * @brief The gate
     *
     * @objects SAI_OBJECT_TYPE_GATE
     */
    sai_object_id_t gate_id;
} sai_hinge_t;

typedef struct _sai_odd_t
{
    bool first;
    union _shape {
        uint8_t  round;
        uint32_t square;
    } shape;
    char *name;
    struct _sai_hinge_t hinge;
} sai_odd_t;

typedef struct _sai_acl_field_data_t
{
    bool enable;
    uint16_t mask;
    uint16_t data;
} sai_acl_field_data_t;

typedef union _sai_attribute_value_t
{
    bool booldata;
    char chardata[32];
    uint32_t u32;
    sai_object_id_t oid;
    sai_u16_list_t u16list;
} sai_attribute_value_t;

typedef struct _sai_attribute_t
{
    sai_attr_id_t id;
    sai_attribute_value_t value;
} sai_attribute_t;

/**
 * @brief What a library calls to say something
 *
 * @count text[count]
 */
typedef void (*sai_say_fn)(
        _In_ uint32_t count,
        _In_ const char *text);

#endif
