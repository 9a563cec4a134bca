/** The API version that the console uses, independent of the partner's pinned version. */
export const apiVersion = '20260713';
