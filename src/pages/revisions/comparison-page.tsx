import { htmlOf, type Markups } from '../../base/markup/markup.ts';
import { fileNameOf } from '../../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { textOf } from '../../field-types/page-view.ts';
import { textOfMarkup } from '../../field-types/text-without-markup.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { readerLabel } from '../../model/field-groups.ts';
import { revisionsPath } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import { type View, viewOf } from '../view.ts';
import { type ComparedValue, compareValues, type TextPart, type ValueChange } from './compare-values.ts';
import { comparedField } from './compared-fields.ts';
import { historyPage } from './history-page.tsx';
import { RestoreButton, RestoreFields } from './restore.tsx';
import type { RevisionEntry, RevisionPair } from './revision-data.ts';
import { RevisionTime, RevisionUser } from './revision-words.tsx';

/** Longer parts without a change are shortened to their beginning and end. */
const MAX_SAME_CHARACTERS = 240;
const SHOWN_CHARACTERS = 100;

/** Returns the page that compares two revisions of content, field by field. */
export function comparisonPage({ before, after, restore }: RevisionPair, source: PageSource): HtmlPage {
  const view = viewOf(after.content, after.around, source);
  const fields = comparedFields(viewOf(before.content, before.around, source), view);
  const { root, label, language, content } = view;
  const history = root + revisionsPath(content.kind.type === 'media' ? 'media' : 'node', content.head.id);
  return historyPage({
    view,
    title: `Comparison of revisions of ${label}`,
    heading: (
      <>
        <p class="kind">Comparison of revisions</p>
        <h1 dir="auto" lang={language}>
          {label}
        </h1>
        {restore && <RestoreFields form={restore} />}
        <dl class="compared">
          <Side label="Earlier" revision={before.revision} history={history} root={root} />
          <Side label="Later" revision={after.revision} history={history} root={root} />
        </dl>
        <ul class="history-links">
          <li>
            <a href={history}>All revisions</a>
          </li>
        </ul>
      </>
    ),
    children:
      fields.length === 0 ? (
        <p class="empty">These revisions do not differ in any field that you may view.</p>
      ) : (
        <>
          <p class="soft">
            Removed words are <del>struck through</del>, added words are <ins>underlined</ins>. Fields without a change
            are not shown.
          </p>
          {fields.map((field) => (
            <FieldChanges key={field.name} field={field} view={view} />
          ))}
        </>
      ),
  });
}

interface SideProps {
  readonly label: string;
  readonly revision: RevisionEntry;
  readonly history: string;
  readonly root: string;
}

function Side({ label, revision, history, root }: SideProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <a href={`${history}/${revision.id}/view`}>
          <RevisionTime revision={revision} />
        </a>{' '}
        by <RevisionUser revision={revision} root={root} />
        {revision.isCurrent && <strong class="mark">Current</strong>}
        {revision.log !== undefined && (
          <span class="aside" dir="auto">
            {' '}
            {revision.log}
          </span>
        )}
        {revision.restoring && (
          <p>
            <RestoreButton revision={revision} address={history} />
          </p>
        )}
      </dd>
    </div>
  );
}

function FieldChanges({ field, view }: { field: ComparedField; view: View }) {
  const id = `change-${field.name}`;
  return (
    <section class="field-changes" aria-labelledby={id}>
      <h2 id={id} {...langWithin(view.source.model.defaultLanguage, PAGE_LANGUAGE)}>
        {field.label}
      </h2>
      <ul>
        {field.changes.map((change, at) => (
          <li key={at} class={change.kind}>
            <Change change={change} language={view.language} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const WORDS: Readonly<Record<ValueChange['kind'], string>> = {
  same: 'Unchanged',
  added: 'Added',
  removed: 'Removed',
  changed: 'Changed',
  other: 'Changed in its format or target only',
};
const SIGNS: Readonly<Record<ValueChange['kind'], string>> = {
  ...{ same: '=', added: '+', removed: '−', changed: '±', other: '±' },
};

function Change({ change, language }: { change: ValueChange; language: string }) {
  return (
    <>
      <span class="change-kind">
        <span aria-hidden="true">{SIGNS[change.kind]} </span>
        {WORDS[change.kind]}
      </span>
      <p class="lines" dir="auto" {...langWithin(language, PAGE_LANGUAGE)}>
        {change.kind === 'changed'
          ? change.parts.map((part, at) => <Part key={at} part={part} at={at} of={change.parts.length} />)
          : marked(change.kind, change.text)}
      </p>
    </>
  );
}

function marked(kind: Exclude<ValueChange['kind'], 'changed'>, text: string) {
  if (kind === 'added') return <ins>{text}</ins>;
  return kind === 'removed' ? <del>{text}</del> : text;
}

function Part({ part: { text, change }, at, of }: { part: TextPart; at: number; of: number }) {
  if (change === 'same') return <>{shortened(text, at === 0, at === of - 1)}</>;
  return change === 'added' ? <ins>{text}</ins> : <del>{text}</del>;
}

/** Returns a text without its middle, or without the part that is far from a change. */
function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= MAX_SAME_CHARACTERS) return text;
  const start = isFirst ? '' : text.slice(0, SHOWN_CHARACTERS).replace(/\s\S*$/, '');
  const end = isLast ? '' : text.slice(-SHOWN_CHARACTERS).replace(/^\S*\s/, '');
  return `${start.toWellFormed()} … ${end.toWellFormed()}`;
}

/** A field that differs between two revisions. */
interface ComparedField {
  readonly name: string;
  readonly label: string;
  readonly changes: readonly ValueChange[];
}

/** Returns the fields that differ, in the order of the document. Values that the caller may not view are left out. */
function comparedFields(before: View, after: View): ComparedField[] {
  const names = new Set([...Object.keys(before.members), ...Object.keys(after.members)]);
  return [...names].flatMap((name): ComparedField[] => {
    const definition = comparedField(name, after.content);
    const changes = definition && compareValues(valuesOf(before, definition), valuesOf(after, definition));
    if (changes === undefined || definition === undefined) return [];
    return [{ name, label: readerLabel(after.content.bundle, definition), changes }];
  });
}

function valuesOf(view: View, definition: FieldDefinition): ComparedValue[] {
  const type = view.source.fieldTypes.of(definition);
  return (view.members[definition.name] ?? []).flatMap((item): ComparedValue[] => {
    const shown = type.show(item, definition, view);
    if (shown === undefined || shown === null || shown === '') return [];
    // Images have no text of their own.
    const text = textOfMarkup(htmlOf(shown as Markups)) || textOf(item.alt) || fileNameOf(String(item.url ?? ''));
    return [{ text, key: JSON.stringify(item) }];
  });
}
