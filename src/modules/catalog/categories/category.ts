/** A type of business location. */
export interface Category {
  /** Stable: derived from the path. */
  readonly id: number;
  /** Path in the category tree, such as `amenity/restaurant`. */
  readonly path: string;
  readonly parent: number | undefined;
  /** Whether locations can be assigned to it. */
  readonly selectable: boolean;
  /** Id of the category that replaced it. */
  readonly mergedInto: number | undefined;
}
