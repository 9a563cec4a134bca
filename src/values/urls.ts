/** The start of an http or https URL in a pattern. Schemes ignore case (RFC 3986, section 3.1). */
export const httpScheme = '[Hh][Tt][Tt][Pp][Ss]?://';
