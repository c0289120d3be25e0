import { rememberTexts } from '../../base/remember-texts.ts';
import type { Description } from '../description/description.ts';
import { DC, DCTERMS } from '../description/mapped-values.ts';

/** The schemas of names such as `DCTERMS.title` (DCMI, "Expressing Dublin Core metadata using HTML meta and link elements"). */
const SCHEMAS = Object.entries({ DCTERMS, DC });
/** Limits a record with very many values. Its JSON-LD has them all. */
const MAX_VALUES_OF_A_NAME = 20;

/** The mapped values of content under their names in Dublin Core. Authors are creators. */
export function DublinCore({ described }: { described: Description }) {
  const tags = dublinCoreTags(described);
  return (
    <>
      {SCHEMAS.map(([prefix, address]) => (
        <link key={prefix} rel={`schema.${prefix}`} href={address} />
      ))}
      {tags.map(([name, content], at) => (
        <meta key={at} name={name} content={content} />
      ))}
    </>
  );
}

type Tag = readonly [name: string, content: string];

function dublinCoreTags({ title, creators, citeAs, values }: Description): Tag[] {
  const isCreator = new Set(creators.flatMap(({ target }) => target?.id ?? []));
  const tags: Tag[] = [
    ['DCTERMS.title', title],
    ['DCTERMS.identifier', citeAs],
    ...creators.map(({ label }): Tag => ['DCTERMS.creator', label]),
  ];
  for (const { predicates, text, target, role } of values) {
    if (role !== undefined && target !== undefined && isCreator.has(target.id)) continue;
    for (const predicate of predicates) {
      const name = nameOf(predicate);
      if (name !== undefined) tags.push([name, text]);
    }
  }
  return limited(tags);
}

/** Returns `DCTERMS.title` for `http://purl.org/dc/terms/title`. Undefined for other vocabularies. */
const nameOf = rememberTexts((predicate): string | undefined => {
  for (const [prefix, namespace] of SCHEMAS) {
    const local = predicate.startsWith(namespace) ? predicate.slice(namespace.length) : '';
    if (/^[A-Za-z]+$/.test(local)) return `${prefix}.${local}`;
  }
  return undefined;
});

/** Returns each tag once, and the first ones of each name. */
function limited(tags: readonly Tag[]): Tag[] {
  const counts = new Map<string, number>();
  const unique = new Map(tags.map((tag) => [tag.join('\n'), tag]));
  return [...unique.values()].filter(([name]) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= MAX_VALUES_OF_A_NAME;
  });
}
