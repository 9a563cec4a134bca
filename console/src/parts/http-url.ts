/** URLs come from directories: link only http(s). */
export const isHttpUrl = (url: string | undefined): url is string => url !== undefined && /^https?:\/\//.test(url);
