/** What the pages use of Mirador. */
// @ts-expect-error: the package has no types.
export { viewer } from 'mirador';
