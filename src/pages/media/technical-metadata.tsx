import type { FitsFact } from '../../base/fits-facts.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { MediaFacts } from '../../repository/media/media-facts.ts';
import type { View } from '../view.ts';

/** Facts that the page shows elsewhere, or that are about the copy that was examined. */
const LEFT_OUT: ReadonlySet<string> = new Set(['size', 'filename', 'filepath', 'fslastmodified']);
/** Names that do not follow from the words of the element. */
const NAMES: Readonly<Record<string, string>> = {
  md5checksum: 'MD5 checksum',
  lastmodified: 'Last modified',
  creatingApplicationName: 'Program that made it',
  creatingApplicationVersion: 'Version of that program',
  creatingos: 'Operating system',
  iccProfileName: 'ICC profile',
  iccProfileVersion: 'Version of the ICC profile',
  YCbCrSubSampling: 'YCbCr subsampling',
  'well-formed': 'Well-formed',
  message: 'Message of a tool',
};

interface Props {
  readonly view: View;
  readonly technical: NonNullable<MediaFacts['technical']>;
}

/** The facts that tools found in a file, from its FITS file. */
export function TechnicalMetadata({ view, technical: { facts, media } }: Props) {
  const { content, root, language } = view;
  const rows = [...facts.file, ...facts.content, ...facts.status].filter(({ name }) => !LEFT_OUT.has(name));
  return (
    <section class="technical" aria-labelledby="page-technical" {...langWithin(PAGE_LANGUAGE, language)}>
      <h2 id="page-technical">Technical metadata</h2>
      <dl class="fields">
        {facts.formats.length > 0 && (
          <div>
            <dt>{facts.formats.length > 1 ? 'Formats (the tools disagree)' : 'Format'}</dt>
            {facts.formats.map(({ name, mimeType, version }) => (
              <dd key={name}>
                {name}
                {version && ` ${version}`} <span class="aside">({mimeType})</span>
              </dd>
            ))}
          </div>
        )}
        {joined(rows).map(({ name, values }) => (
          <div key={name}>
            <dt>{labelOf(name)}</dt>
            {values.map((value, at) => (
              <dd key={at} dir="auto">
                {value}
              </dd>
            ))}
          </div>
        ))}
      </dl>
      {media !== content.head.id && (
        <p class="aside">
          <a href={root + entityPath.media(media)}>The file with all technical metadata</a>
        </p>
      )}
    </section>
  );
}

/** Returns the values of each name together, in the order of the first ones. */
function joined(facts: readonly FitsFact[]): { readonly name: string; readonly values: readonly string[] }[] {
  return [...Map.groupBy(facts, ({ name }) => name)].map(([name, all]) => ({
    name,
    values: [...new Set(all.map(({ value }) => value))],
  }));
}

/** Returns the words of an element: `Image width` for `imageWidth`. */
function labelOf(name: string): string {
  if (Object.hasOwn(NAMES, name)) return NAMES[name] as string;
  const words = name.replace(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
