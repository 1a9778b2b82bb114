#if !defined (__SAIGATE_H_)
#define __SAIGATE_H_

#include <saitypes.h>

/**
 * @brief Attribute data for #SAI_GATE_ATTR_TYPE
 */
typedef enum _sai_gate_type_t
{
    SAI_GATE_TYPE_OPEN,

    /** @ignore - for backward compatibility */
    SAI_GATE_TYPE_AJAR = SAI_GATE_TYPE_OPEN,

    SAI_GATE_TYPE_SHUT = SAI_GATE_TYPE_OPEN + 0x10 + 1,

} sai_gate_type_t;

/* An enum whose values are not called as it is */
typedef enum _sai_gate_color_t
{
    SAI_COLOR_RED   = 3,
    SAI_COLOR_GREEN = 5,
} sai_gate_color_t;

/**
 * @brief Attributes of a gate
 */
typedef enum _sai_gate_attr_t
{
    /**
     * @brief Start of attributes
     */
    SAI_GATE_ATTR_START,

    /**
     * @brief What kind of gate it is,
     * and so on
     *
     * @type sai_gate_type_t
     * @flags MANDATORY_ON_CREATE | CREATE_ONLY | KEY
     */
    SAI_GATE_ATTR_TYPE = SAI_GATE_ATTR_START,

    /**
     * @type sai_uint32_t
     * @flags CREATE_AND_SET
     * @default SAI_RANGE
     * @isresourcetype true
     * @precision 2
     */
    SAI_GATE_ATTR_WIDTH,

    /**
     * @brief Where it leads
     *
     * @type sai_object_id_t
     * @flags CREATE_AND_SET
     * @objects SAI_OBJECT_TYPE_GATE, SAI_OBJECT_TYPE_SWITCH
     * @objects SAI_OBJECT_TYPE_GATE_ENTRY
     * @allownull true
     * @default SAI_NULL_OBJECT_ID
     */
    SAI_GATE_ATTR_PEER,

    /**
     * @type sai_gate_type_t
     * @flags MANDATORY_ON_CREATE | CREATE_AND_SET
     * @condition SAI_GATE_ATTR_TYPE == SAI_GATE_TYPE_OPEN or SAI_GATE_ATTR_TYPE == SAI_GATE_TYPE_SHUT
     * @relaxed true
     */
    SAI_GATE_ATTR_NEXT,

    /**
     * @type sai_u16_list_t
     * @flags CREATE_AND_SET
     * @default empty
     * @validonly SAI_GATE_ATTR_WIDTH == 3 and (SAI_GATE_ATTR_TYPE == SAI_GATE_TYPE_OPEN or
     * SAI_GATE_ATTR_PEER == SAI_NULL_OBJECT_ID)
     * @deprecated true
     */
    SAI_GATE_ATTR_NUMBERS,

    /**
     * @type sai_acl_field_data_t sai_uint16_t
     * @flags CREATE_AND_SET
     * @default disabled
     * @isvlan true
     */
    SAI_GATE_ATTR_FIELD,

    /**
     * @type sai_gate_type_t
     * @flags READ_ONLY
     * @isvlan false
     */
    SAI_GATE_ATTR_NOW,

    /**
     * @type sai_mac_t
     * @flags CREATE_AND_SET
     * @default attrvalue SAI_GATE_ATTR_TYPE
     * @range SAI_RANGE
     */
    SAI_GATE_ATTR_MAC = 0x100,

    /**
     * @brief End of attributes
     */
    SAI_GATE_ATTR_END = 0x200,

    /** Custom range base value */
    SAI_GATE_ATTR_CUSTOM_RANGE_START = 0x10000000,

    /** End of custom range base */
    SAI_GATE_ATTR_CUSTOM_RANGE_END

} sai_gate_attr_t;

typedef struct _sai_gate_entry_t
{
    /** @objects SAI_OBJECT_TYPE_SWITCH */
    sai_object_id_t switch_id;

    sai_mac_t mac_address;

} sai_gate_entry_t;

typedef enum _sai_gate_entry_attr_t
{
    SAI_GATE_ENTRY_ATTR_START,

    /**
     * @type bool
     * @flags CREATE_AND_SET
     * @default true
     */
    SAI_GATE_ENTRY_ATTR_OPEN = SAI_GATE_ENTRY_ATTR_START,

    SAI_GATE_ENTRY_ATTR_END
} sai_gate_entry_attr_t;

typedef enum _sai_gate_stat_t
{
    SAI_GATE_STAT_OPENED,
    SAI_GATE_STAT_CLOSED,
} sai_gate_stat_t;

typedef struct _sai_gate_event_t
{
    sai_object_id_t gate_id;
    sai_gate_type_t type;
    sai_odd_t       odd;
} sai_gate_event_t;

/**
 * @brief A gate moved
 *
 * @count data[count]
 */
typedef void (*sai_gate_event_notification_fn)(
        _In_ uint32_t count,
        _In_ const sai_gate_event_t *data);

typedef sai_status_t (*sai_create_gate_fn)(
        _Out_ sai_object_id_t *gate_id,
        _In_ sai_object_id_t switch_id,
        _In_ uint32_t attr_count,
        _In_ const sai_attribute_t *attr_list);

typedef sai_status_t (*sai_remove_gate_fn)(
        _In_ sai_object_id_t gate_id);

typedef sai_status_t (*sai_get_gate_attribute_fn)(
        _In_ sai_object_id_t gate_id,
        _In_ uint32_t attr_count,
        _Inout_ sai_attribute_t *attr_list);

typedef sai_status_t (*sai_create_gate_entry_fn)(
        _In_ const sai_gate_entry_t *gate_entry,
        _In_ uint32_t attr_count,
        _In_ const sai_attribute_t *attr_list);

typedef sai_status_t (*sai_paint_gate_fn)(
        _In_ sai_object_id_t gate_id,
        _In_ const char colors[3],
        _Inout_ uint32_t *count);

typedef struct _sai_gate_api_t
{
    sai_create_gate_fn        create_gate;
    sai_remove_gate_fn        remove_gate;
    sai_get_gate_attribute_fn get_gate_attribute;
    sai_create_gate_entry_fn  create_gate_entry;
    sai_paint_gate_fn         paint_gate;
    sai_paint_gate_fn         scrape_gate;
} sai_gate_api_t;

#endif
