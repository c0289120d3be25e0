/** @jsxImportSource preact */
import { langWithin, localeOf, PAGE_LANGUAGE } from '../language.ts';
import { isCalendarDate, readableDay, readableSize } from '../readable.ts';
import { textOf } from '../view.ts';
import type { ShowItem } from './show-item.ts';

/** Yes or no. */
export const showBoolean: ShowItem = ({ value }, _definition, { language }) =>
  typeof value === 'boolean' ? <span {...langWithin(PAGE_LANGUAGE, language)}>{value ? 'Yes' : 'No'}</span> : undefined;

/** A number as it is; a number of bytes as people say it. */
export const showNumber: ShowItem = ({ value }, { name }, { sizeField, language }) => {
  const size = name === sizeField && typeof value === 'number' ? readableSize(value, language) : undefined;
  return size === undefined ? textOf(value) : <data value={String(value)}>{size}</data>;
};

/** A date in EDTF as it was written. */
export const showEdtf: ShowItem = ({ value }) => {
  const text = textOf(value);
  return text !== undefined && isCalendarDate(text) ? <time datetime={text}>{text}</time> : text;
};

/** The day of a moment. */
export const showMoment: ShowItem = ({ value }, _definition, { language }) => {
  const moment = textOf(value);
  return moment && <Day moment={moment} language={language} />;
};

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

/** A point in degrees. */
export const showPoint: ShowItem = ({ lat, lng }) => {
  const latitude = textOf(lat);
  const longitude = textOf(lng);
  return latitude === undefined || longitude === undefined ? undefined : `${latitude}, ${longitude}`;
};
