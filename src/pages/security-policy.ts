/** The needs of a page beyond the files of this site. */
export interface PolicyNeeds {
  /** True for a viewer that inserts style elements: `meta[name=style-nonce]` has their nonce. */
  readonly hasStyleNonce?: boolean;
  /** True for a viewer that starts workers, also from generated code (`blob:`). */
  readonly hasWorkers?: boolean;
  /** True for a viewer that shows generated images (`blob:` and `data:`). */
  readonly hasGeneratedImages?: boolean;
  /** True for a viewer that compiles WebAssembly. */
  readonly hasWebAssembly?: boolean;
  /** True for a page that other sites may show in a frame. */
  readonly isEmbeddable?: boolean;
}

/**
 * Stands for the nonce in the policy of a page and, once, at the beginning of its text. A random value replaces both in
 * every response. Content cannot obtain it: only the first occurrence is replaced.
 */
export const STYLE_NONCE = 'nonce-of-this-response';

/**
 * Returns the `Content-Security-Policy` of a page: styles, scripts, images, audio, video and requests of this site only,
 * and nothing inline.
 */
export function securityPolicy(needs: PolicyNeeds = {}): string {
  const { hasStyleNonce, hasWorkers, hasGeneratedImages, hasWebAssembly, isEmbeddable } = needs;
  return [
    "default-src 'none'",
    `script-src 'self'${hasWebAssembly ? " 'wasm-unsafe-eval'" : ''}`,
    `style-src 'self'${hasStyleNonce ? ` 'nonce-${STYLE_NONCE}'` : ''}`,
    `img-src 'self'${hasGeneratedImages ? ' blob: data:' : ''}`,
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    ...(hasWorkers ? ["worker-src 'self' blob:"] : []),
    "base-uri 'none'",
    "form-action 'self'",
    ...(isEmbeddable ? [] : ["frame-ancestors 'self'"]),
  ].join('; ');
}
