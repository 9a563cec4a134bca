export interface Setting<T = unknown> {
  variable: string;
  meaning: string;
  /** Without one, the setting is undefined unless it is given. */
  default?: string;
  /** Takes the place of the default in demo mode. */
  demoDefault?: string;
  /** The value is never shown. */
  secret?: true;
  parse: (text: string) => T;
}
