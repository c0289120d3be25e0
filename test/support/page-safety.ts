import { addressesIn, elementsOf } from './page.ts';

/** Code that a browser would run, and addresses that it would fetch from elsewhere. */
export function dangersOf(html: string): string[] {
  const elements = elementsOf(html, '*');
  const running = elements.filter(({ tag, attributes }) => {
    if (tag === 'script' && attributes.type === 'application/ld+json') return false;
    if (tag === 'script') return !/^\/assets\/[0-9a-f]+\//.test(attributes.src ?? '');
    if (tag === 'form') return !/^\/(?!\/)/.test(attributes.action ?? '/');
    return ['iframe', 'object', 'embed', 'base'].includes(tag);
  });
  const handlers = elements.flatMap(({ attributes }) =>
    Object.keys(attributes).filter((name) => name.startsWith('on') || name === 'style' || name === 'srcdoc'),
  );
  const addresses = addressesIn(html).filter((address) => !/^(?:https?:\/\/|mailto:|\/(?!\/)|#)/.test(address));
  const loaded = elementsOf(html, 'img, audio, video, source, track, link[rel=stylesheet]').flatMap(
    ({ attributes: { src, href = '' } }) => (/^\/(?!\/)/.test(src ?? href) ? [] : [src ?? href]),
  );
  return [...running.map(({ tag }) => tag), ...handlers, ...addresses, ...loaded];
}

/** The policy of an answer, by directive. */
export function policyOf({ headers }: Response): Record<string, string> {
  const directives = (headers.get('Content-Security-Policy') ?? '').split('; ');
  return Object.fromEntries(directives.map((each) => [each.split(' ', 1)[0], each.slice(each.indexOf(' ') + 1)]));
}
