/** The part of Mirador that pages use. */
// @ts-expect-error: the package has no types.
export { viewer } from 'mirador';
