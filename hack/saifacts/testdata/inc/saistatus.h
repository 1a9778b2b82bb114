/**
 * @file    saistatus.h
 * @brief   Statuses of a made-up SAI, for the tests of saifacts
 */
#if !defined (__SAISTATUS_H_)
#define __SAISTATUS_H_

#include <saitypes.h>

#ifdef _WIN32
#define SAI_STATUS_CODE(_S_) (_S_)
#else
#define SAI_STATUS_CODE(_S_) (-(_S_))
#endif

/** Well done */
#define SAI_STATUS_SUCCESS                  SAI_STATUS_CODE(0x00000000L)

#define SAI_STATUS_FAILURE                  SAI_STATUS_CODE(0x00000001L)

#define SAI_STATUS_INVALID_ATTRIBUTE_0      SAI_STATUS_CODE(0x00010000L)

/** Two macros deep, over two lines */
#define SAI_STATUS_INVALID_ATTRIBUTE_MAX \
    SAI_STATUS_CODE(0x0001FFFFL)

#define SAI_STATUS_IS_INVALID_ATTRIBUTE(x) (((x) & (~0xFFFF)) == SAI_STATUS_INVALID_ATTRIBUTE_0)

#endif
