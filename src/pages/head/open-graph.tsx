import { rememberTexts } from '../../base/remember-texts.ts';
import type { Description } from '../description/description.ts';
import { PERSON } from '../description/mapped-values.ts';
import { oneLine } from '../description/plain-text.ts';
import type { View } from '../view.ts';
import type { Picture } from './picture.ts';

const MAX_DESCRIPTION_CHARACTERS = 300;

interface Props {
  readonly view: View;
  readonly described: Description;
  readonly picture: Picture | undefined;
}

/** The description for search engines, and the properties of Open Graph (https://ogp.me), from which previews of links are made. */
export function OpenGraph({ view, described, picture }: Props) {
  const { title, url, summary, kind } = described;
  const description = summary && oneLine(summary, MAX_DESCRIPTION_CHARACTERS);
  return (
    <>
      {description && <meta name="description" content={description} />}
      <meta property="og:site_name" content={view.source.siteName} />
      <meta property="og:type" content={typeOf(view, kind.og)} />
      <meta property="og:title" content={title} />
      <meta property="og:url" content={url} />
      {description && <meta property="og:description" content={description} />}
      <meta property="og:locale" content={localeOf(view.language)} />
      {picture && (
        <>
          <meta property="og:image" content={picture.url} />
          <meta property="og:image:type" content={picture.type} />
          {picture.width && <meta property="og:image:width" content={String(picture.width)} />}
          {picture.height && <meta property="og:image:height" content={String(picture.height)} />}
          <meta property="og:image:alt" content={title} />
        </>
      )}
    </>
  );
}

function typeOf({ content: { kind, bundle }, source }: View, ofWork: string): string {
  if (kind.type === 'node') return ofWork;
  const classes = source.model.rdf.mappings[kind.type].get(bundle.name)?.types ?? [];
  return classes.includes(PERSON) ? 'profile' : 'website';
}

/** Returns a language with the territory that Open Graph requires: the given one, or that with the most speakers. */
const localeOf = rememberTexts((language) => {
  const { language: code, region } = new Intl.Locale(language).maximize();
  return region === undefined ? code : `${code}_${region}`;
});
