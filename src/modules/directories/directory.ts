/** A directory and what it can do. */
export interface Directory {
  /** Upper-case name, such as GOOGLE. */
  readonly type: string;
  readonly name: string;
  /** How much it counts in the visibility index. */
  readonly weight: number;
  readonly supports: {
    readonly submission: boolean;
    readonly claim: boolean;
    /** Shows the street address; without it only locations that do not show theirs can be submitted. */
    readonly addressDisplay: boolean;
    readonly replies: boolean;
    readonly insights: boolean;
    /** Tells by month which words a page was found with. */
    readonly searchKeywords: boolean;
    readonly brandPages: boolean;
    readonly socialPosts: boolean;
    /** Has pages that can be looked at; car navigation has none. */
    readonly onlineListing: boolean;
    /** Can be linked to and nothing else. */
    readonly linkOnly: boolean;
  };
  readonly needsCleansing: boolean;
  /** Whether an account must be connected before anything can be submitted or read. */
  readonly needsConnection: boolean;
  /** Profile fields (names as in ListingProfile) without which it takes no submission. */
  readonly mandatoryFields: readonly string[];
  /** Profile fields that it shows, and that are compared. */
  readonly fields: readonly string[];
  readonly dataPointTypes: readonly string[];
  readonly replyMaxLength: number;
  readonly postMaxLength: number;
  /** Names of its insight metrics. */
  readonly metrics: readonly string[];
  readonly rateLimit: { readonly requests: number; readonly perSeconds: number };
}
