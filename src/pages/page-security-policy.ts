import recordStyle from './assets/record.css' with { type: 'text' };
import frameStyle from './assets/style.css' with { type: 'text' };

/** The style of every page, which stands in the page itself: a page is one request. */
export const pageStyle = frameStyle + recordStyle;

const styleHash = new Bun.CryptoHasher('sha256').update(pageStyle).digest('base64');

/**
 * The `Content-Security-Policy` of every page: this style and no other, pictures and sound of this site, and nothing
 * that runs, whatever a stored text may hold.
 */
export const pageSecurityPolicy = [
  "default-src 'none'",
  "img-src 'self'",
  "media-src 'self'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');
