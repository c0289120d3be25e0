/** A page that shows how something is done. */
export interface Action {
  readonly heading: string;
  readonly text: string;
  /** Requests and commands, as they are written. */
  readonly commands: readonly string[];
  /** Lines that belong to it, with or without an address. */
  readonly entries: readonly { readonly label: string; readonly href?: string }[];
}
