/** An item that a run leaves as it is, with the reason for its user. */
export class ItemSkipped extends Error {
  override readonly name = 'ItemSkipped';
}
