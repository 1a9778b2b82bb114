#if !defined (__SAI_H_)
#define __SAI_H_

#ifdef __cplusplus
extern "C" {
#endif

#include "saigate.h"
#include "saistatus.h"

typedef struct _sai_switch_api_t
{
    sai_remove_gate_fn remove_switch;
} sai_switch_api_t;

/**
 * @brief Attributes of the switch
 */
typedef enum _sai_switch_attr_t
{
    SAI_SWITCH_ATTR_START,

    /**
     * @type sai_pointer_t sai_gate_event_notification_fn
     * @flags CREATE_AND_SET
     * @default NULL
     */
    SAI_SWITCH_ATTR_GATE_EVENT_NOTIFY = SAI_SWITCH_ATTR_START,

    SAI_SWITCH_ATTR_END
} sai_switch_attr_t;

/**
 * @brief Hands out the table of an API
 */
sai_status_t sai_api_query(
        _In_ sai_api_t api,
        _Out_ void **api_method_table);

sai_status_t sai_api_uninitialize(void);

#ifdef __cplusplus
}
#endif

#endif
