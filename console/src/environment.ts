/** Values that the server renders into index.html. */
const metaOf = (selector: string) => document.querySelector<HTMLMetaElement>(selector);

/** CSP nonce for style elements of Mantine. */
export const styleNonce = metaOf('meta[property="csp-nonce"]')?.nonce ?? '';

export const isDemo = metaOf('meta[name="waypost-demo"]')?.content === 'on';
