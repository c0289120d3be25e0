import { langWithin, localeOf, PAGE_LANGUAGE } from './language.ts';
import { readableDay } from './readable.ts';

/** A moment as its day in a language, with the whole of it for machines. */
export function Day({ moment, language }: { moment: string; language: string }) {
  const day = readableDay(moment, language);
  if (day === undefined) return <span>{moment}</span>;
  const isEnglish = localeOf(language).startsWith(PAGE_LANGUAGE);
  return (
    <time datetime={moment} {...(isEnglish && langWithin(PAGE_LANGUAGE, language))}>
      {day}
    </time>
  );
}
