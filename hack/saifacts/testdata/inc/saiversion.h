#if !defined (__SAIVERSION_H_)
#define __SAIVERSION_H_

#define SAI_MAJOR 2
#define SAI_MINOR 3
#define SAI_REVISION 1

#endif /* __SAIVERSION_H_ */
