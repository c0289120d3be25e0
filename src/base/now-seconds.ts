/** Returns the seconds since 1970. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
