import { yearsInWords } from '../../field-types/display/date-in-words.ts';
import { type DatePoint as DateOfWork, datePartsOf } from '../../field-types/display/date-point.ts';

/** A date with the precision that is known. */
export interface DatePoint {
  /** Negative before the year 1; the year 0 is 1 BCE. */
  readonly firstYear: number;
  /** Another one than the first if digits are unknown, as in `192X`. */
  readonly lastYear: number;
  readonly month: number | undefined;
  readonly day: number | undefined;
  /** 1 to 4, from spring. */
  readonly season: number | undefined;
}

/** A date or a range of dates. A range with an unknown end has only the other. */
export interface CitationDate {
  readonly start: DatePoint | undefined;
  readonly end: DatePoint | undefined;
  readonly isRange: boolean;
  readonly isApproximate: boolean;
  readonly isUncertain: boolean;
}

/** Parses an EDTF expression for a citation. Undefined without any year. */
export function citationDate(edtf: string): CitationDate | undefined {
  const parts = datePartsOf(edtf);
  if (parts === undefined) return undefined;
  const [start, end] = [parts.points[0], parts.points.at(-1)];
  return {
    start: start && pointOf(start),
    end: parts.isRange && end !== undefined ? pointOf(end) : undefined,
    isRange: parts.isRange,
    isApproximate: /[~%]/.test(edtf),
    isUncertain: /[?%]/.test(edtf),
  };
}

function pointOf({ firstYear, lastYear, month, day }: DateOfWork): DatePoint {
  const monthNumber = numberOf(month);
  const isMonth = monthNumber !== undefined && monthNumber <= 12;
  return {
    firstYear,
    lastYear,
    month: isMonth ? monthNumber : undefined,
    day: isMonth ? numberOf(day) : undefined,
    season: monthNumber === undefined || isMonth ? undefined : seasonOf(monthNumber),
  };
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined || digits.includes('X') ? undefined : Number(digits);
}

/** 21 to 24 are seasons, and 25 to 32 those of a hemisphere. Quarters and others have no word in citations. */
function seasonOf(code: number): number | undefined {
  return code >= 21 && code <= 32 ? ((code - 21) % 4) + 1 : undefined;
}

/** Returns the year in words: `1929`, `1920s`, `44 BCE`. */
export function yearWords({ firstYear, lastYear }: DatePoint): string {
  return yearsInWords(firstYear, lastYear);
}
