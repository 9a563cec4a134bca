/** What kind of place a location is. */
export interface Category {
  /** The same for all time: it follows from the path. */
  readonly id: number;
  /** Its place in the tree, such as `amenity/restaurant`. */
  readonly path: string;
  readonly parent: number | undefined;
  /** Whether a location may have it. */
  readonly selectable: boolean;
  /** The category that has taken its place. */
  readonly mergedInto: number | undefined;
}
