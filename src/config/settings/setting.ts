export interface Setting<T = unknown> {
  variable: string;
  meaning: string;
  /** Without a default, an unset setting is undefined. */
  default?: string;
  /** Replaces the default in demo mode. */
  demoDefault?: string;
  /** The value is never shown. */
  secret?: true;
  parse: (text: string) => T;
}
