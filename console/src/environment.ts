/** What the service wrote into the page. */
const metaOf = (selector: string) => document.querySelector<HTMLMetaElement>(selector);

/** Style elements of the component library carry it, or the page's policy would refuse them. */
export const styleNonce = metaOf('meta[property="csp-nonce"]')?.nonce ?? '';

/** A demo installation shows the sandbox panel. */
export const isDemo = metaOf('meta[name="waypost-demo"]')?.content === 'on';
