/** The version that these pages are written for, whichever one the partner's own programs are pinned to. */
export const apiVersion = '20260713';
