import { describe, expect, it } from 'bun:test';
import { dateInWords } from '../../../../src/field-types/display/date-in-words.ts';

describe('dateInWords', () => {
  it.each([
    ['1929', '1929'],
    ['1929~', 'about 1929'],
    ['1929?', 'perhaps 1929'],
    ['1929%', 'perhaps about 1929'],
    ['1908-05', 'May 1908'],
    ['1908-05-12', '12 May 1908'],
    ['1908-05-02', '2 May 1908'],
    ['1908-05~', 'about May 1908'],
    ['0850', '850 CE'],
    ['0000', '1 BCE'],
    ['-0100', '101 BCE'],
    ['Y17000', '17,000'],
    ['1950S2', 'about 1950'],
    ['2004-02-31', '31 February 2004'],
    ['2004-01-01T10:05:10Z', '1 January 2004, 10:05 (UTC)'],
    ['2004-01-01T10:05:10+05:00', '1 January 2004, 10:05 (UTC+05:00)'],
  ])('writes the date %s as "%s"', (text, words) => expect(dateInWords(text)).toBe(words));

  it.each([
    ['192X', '1920s'],
    ['192X~', 'about the 1920s'],
    ['18XX', '19th century'],
    ['20XX', '21st century'],
    ['11XX?', 'perhaps the 12th century'],
    ['-01XX', '2nd century BCE'],
    ['-00XX', '1st century BCE'],
    ['00XX', '1st century'],
    ['000X', 'between 1 BCE and 9 CE'],
    ['-1XXX', 'between 2000 BCE and 1001 BCE'],
    ['-19XX-XX', '20th century BCE'],
    ['-012X', 'between 130 BCE and 121 BCE'],
    ['1XXX', 'between 1000 and 1999'],
    ['18X0', 'between 1800 and 1890'],
    ['XXXX', 'unknown'],
    ['1908-XX', '1908'],
    ['1908-05-XX', 'May 1908'],
    ['1908-XX-XX', '1908'],
    ['1900-XX-12', '1900'],
    ['156X-12-25', '25 December in the 1560s'],
    ['156X-12', 'December in the 1560s'],
    ['XXXX-12-25', '25 December, year unknown'],
  ])('writes unknown digits %s as "%s"', (text, words) => expect(dateInWords(text)).toBe(words));

  it.each([
    ['1890/1930', 'between 1890 and 1930'],
    ['1890~/1930?', 'between about 1890 and perhaps 1930'],
    ['1908-05-01/1908-06', 'between 1 May 1908 and June 1908'],
    ['../1900', 'until 1900'],
    ['/1900', 'until 1900'],
    ['1900/..', 'from 1900 on'],
    ['1900/', 'from 1900 on'],
    ['[..1900]', '1900 or earlier'],
    ['[1900..]', '1900 or later'],
    ['[1667,1668,1670]', '1667, 1668 or 1670'],
    ['[1667, 1668, 1670..1672]', '1667, 1668 or 1670 to 1672'],
    ['{1960,1961-12}', '1960 and December 1961'],
    ['[1929~]', 'about 1929'],
  ])('writes the interval or set %s as "%s"', (text, words) => expect(dateInWords(text)).toBe(words));

  it.each([
    ['2001-21', 'spring 2001'],
    ['2001-24', 'winter 2001'],
    ['2001-21~', 'about spring 2001'],
    ['2001-25', 'spring 2001 (northern hemisphere)'],
    ['2001-31', 'autumn 2001 (southern hemisphere)'],
    ['2001-34', 'second quarter of 2001'],
    ['2001-39', 'last third of 2001'],
    ['2001-41', 'second half of 2001'],
    ['2004-06-~11', '11 June 2004 (day approximate)'],
    ['2004-?06-11', '11 June 2004 (month uncertain)'],
    ['?2004-06', 'June 2004 (year uncertain)'],
    ['2004?-06~', 'about June 2004 (year uncertain)'],
    ['%1929', 'perhaps about 1929'],
  ])('writes the season or qualified part %s as "%s"', (text, words) => expect(dateInWords(text)).toBe(words));

  it.each([
    ...['unknown', 'c. 1929', '', '1929-13', '1929 ?', '<b>1929</b>', '[]', '{', '[1929', '1/2/3', '/', '../..', '[,]'],
    ...['[1900...1910]x', '\u202e1929', 'toString', '__proto__', `[${'1929,'.repeat(1000)}1930]`],
  ])('returns text that is not EDTF unchanged: %s', (text) => expect(dateInWords(text)).toBe(text));
});
