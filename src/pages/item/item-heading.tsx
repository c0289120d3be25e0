import { dateInWords } from '../../field-types/display/date-in-words.ts';
import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import { DATE_FIELDS } from '../../repository/content/lists/card-list.ts';
import { firstText, type View } from '../view.ts';

export const MODEL_FIELD = 'field_model';

/** Longer titles are shown in smaller letters. */
const LONG_TITLE_CHARACTERS = 120;

/** The name of an item, below its model and date. */
export function ItemHeading({ view }: { view: View }) {
  const { content, label, language, source } = view;
  const date = dateOf(view);
  return (
    <header class="record-head">
      <p class="kind">
        <Model view={view} />
        {date !== undefined && <span {...langWithin(PAGE_LANGUAGE, language)}> · {dateInWords(date)}</span>}
      </p>
      <h1 dir="auto" class={label.length > LONG_TITLE_CHARACTERS ? 'long' : undefined}>
        {label}
      </h1>
      {!content.head.status && (
        <p class="mark" {...langWithin(PAGE_LANGUAGE, source.model.defaultLanguage)}>
          Not published
        </p>
      )}
    </header>
  );
}

/** The model of an item, as a link to more of it; for other content, the name of its type. */
function Model({ view }: { view: View }) {
  const { content, members, root, language, source } = view;
  const [item] = members[MODEL_FIELD] ?? [];
  const term = item && view.targetOf(item);
  if (term === undefined)
    return <span {...langWithin(source.model.defaultLanguage, language)}>{content.bundle.label}</span>;
  const own = term.language === undefined ? source.model.defaultLanguage : languageOf(term.language);
  if (term.isNew) return <bdi {...langWithin(own, language)}>{term.label}</bdi>;
  return (
    <a href={root + entityPath.taxonomy_term(term.id)}>
      <bdi {...langWithin(own, language)}>{term.label}</bdi>
    </a>
  );
}

/** Returns the date of an item as EDTF, as its card shows it. */
function dateOf({ members, content }: View): string | undefined {
  const known = DATE_FIELDS.filter((name) => content.bundle.fieldNamed.has(name));
  const dates = content.bundle.fields.filter(({ type }) => type === 'edtf').map(({ name }) => name);
  for (const name of known.length > 0 ? known : dates) {
    const date = firstText(members, name);
    if (date !== undefined) return date;
  }
  return undefined;
}
