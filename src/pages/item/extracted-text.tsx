import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { AttachedText } from '../../repository/content/find-attached-files.ts';
import { ScrollFrame } from '../scroll-frame.tsx';
import type { View } from '../view.ts';

/** The beginning of an item's text, in a box that scrolls, with a link to the whole. */
export function ExtractedText({ found: { media, text, isWhole }, view }: { found: AttachedText; view: View }) {
  const { root, language } = view;
  const lang = langWithin(PAGE_LANGUAGE, language);
  return (
    <div class="extracted-text">
      <h2 id="page-text" {...lang}>
        Text
      </h2>
      <ScrollFrame labelledBy="page-text">
        <p class="lines" dir="auto">
          {text}
          {!isWhole && '…'}
        </p>
      </ScrollFrame>
      <p class="aside" {...lang}>
        {isWhole ? '' : 'This is the beginning. '}
        <a href={root + entityPath.media(media)}>{isWhole ? 'About this text' : 'Read the whole text'}</a>
      </p>
    </div>
  );
}
