import LinkHeader from 'http-link-header';

const PLATFORM = 'https://drupal.org/link-relations/';

/** A link as a library has read it. */
export interface ReadLink {
  readonly href: string;
  readonly rel: string;
  readonly title: string | undefined;
  readonly type: string | undefined;
}

/** The links of an answer, in their order; none where it has no such header. */
export function linksIn(response: Response): ReadLink[] {
  const header = response.headers.get('link');
  if (header === null) return [];
  return LinkHeader.parse(header).refs.map(({ uri, rel, title, 'title*': extended, type }) => {
    if (title !== undefined && extended !== undefined) throw new Error(`${uri} has two titles`);
    return { href: uri, rel, title: extended?.value ?? title, type };
  });
}

/**
 * The links of an answer, each in one line that a person can read: `related /node/3 "Member of"`. The address of the
 * repository is left out, and of the platform's own relations all but their names: `*delete-form /node/3/delete`.
 */
export function linkLines(response: Response, baseUrl: string): string[] {
  return linksIn(response).map(({ href, rel, title, type }) => {
    const name = rel.startsWith(PLATFORM) ? `*${rel.slice(PLATFORM.length)}` : rel;
    const address = href.startsWith(`${baseUrl}/`) ? href.slice(baseUrl.length) : href;
    return [name, address, ...(title === undefined ? [] : [`"${title}"`]), ...(type === undefined ? [] : [type])].join(
      ' ',
    );
  });
}
