import { numberText } from '../../base/in-words.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { NodeUse, UsageNumbers } from '../../repository/usage/find-usage.ts';

interface Props {
  readonly use: NodeUse;
  /** The language of the page. */
  readonly language: string;
}

/** How often an item was used, and the items in it. */
export function UsePanel({ use: { own, within }, language }: Props) {
  if (own === undefined && within === undefined) return null;
  return (
    <section class="panel use" aria-labelledby="page-use" {...langWithin(PAGE_LANGUAGE, language)}>
      <h2 id="page-use">Use</h2>
      <dl>
        {own && <Numbers views="Views" downloads="Downloads" numbers={own} />}
        {within && <Numbers views="Views of its items" downloads="Downloads of its items" numbers={within} />}
      </dl>
    </section>
  );
}

interface NumbersProps {
  readonly views: string;
  readonly downloads: string;
  readonly numbers: UsageNumbers;
}

function Numbers({ views, downloads, numbers }: NumbersProps) {
  return (
    <>
      <dt>{views}</dt>
      <dd>{numberText(numbers.views)}</dd>
      {numbers.downloads > 0 && (
        <>
          <dt>{downloads}</dt>
          <dd>{numberText(numbers.downloads)}</dd>
        </>
      )}
    </>
  );
}
