/** A page with instructions for an action. */
export interface Action {
  readonly heading: string;
  readonly text: string;
  /** Requests and commands, as a user types them. */
  readonly commands: readonly string[];
  /** Related entries, with or without an address. */
  readonly entries: readonly { readonly label: string; readonly href?: string }[];
}
