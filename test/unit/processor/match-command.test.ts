import { describe, expect, it } from 'bun:test';
import type { CommandDefinition, CommandEntry } from '../../../src/processor/config/commands.ts';
import { chooseCommand, lookUpType, missingFor, requireAllowedType } from '../../../src/processor/match-command.ts';
import { serviceError } from '../../support/service-error.ts';

/** A command known by its name alone. */
const command = (key: string) => ({ key, missing: [] as readonly string[] }) as CommandDefinition;
type Names = Record<string, string | Record<string, string>>;

function configOf(names: Names, mimeTypeFromDestination = false) {
  const entries = Object.entries(names).map(([type, name]): [string, CommandEntry] => {
    if (typeof name === 'string') return [type, command(name)];
    return [type, { byDestination: new Map(Object.entries(name).map(([to, inner]) => [to, command(inner)])) }];
  });
  return { commands: new Map(entries), mimeTypeFromDestination };
}

describe('allowed types', () => {
  it.each([
    ['image/png', ['image/png']],
    ['image/png', ['text/plain', 'image/*']],
    ['application/x-unheard-of', ['*']],
  ])('accept %s with %j', (mediaType, allowed) => {
    expect(() => requireAllowedType(mediaType, allowed)).not.toThrow();
  });

  it.each([
    ['image/png', []],
    ['image/png', ['image/jpeg', 'text/*']],
    ['image/svg+xml', ['image/svg']],
    ['images/png', ['image/*']],
  ])('refuse %s with %j', (mediaType, allowed) => {
    expect(() => requireAllowedType(mediaType, allowed)).toThrow(
      serviceError('malformed', /^Files of the MIME type \S+ are not allowed here\.$/),
    );
  });
});

describe('lookUpType', () => {
  const FULL = { default: 'any', 'image/*': 'family', 'image/png': 'exact' };
  it.each([
    ['image/png', FULL, 'exact'],
    ['image/jpeg', FULL, 'family'],
    ['text/plain', FULL, 'any'],
    [undefined, FULL, 'any'],
    ['image/jpeg', { 'image/png': 'exact' }, undefined],
    [undefined, { 'image/*': 'family' }, undefined],
  ])('finds %s in %j: %s', (mediaType, table, expected) => {
    expect(lookUpType(new Map(Object.entries(table)), mediaType)).toBe(expected);
  });
});

describe('the command for a file', () => {
  const BY_SOURCE = configOf({ 'image/png': 'png', 'image/*': 'image', default: 'any' });
  const BY_DESTINATION = configOf({ 'image/png': 'to png', 'image/*': 'to image', default: 'to any' }, true);
  const NESTED = configOf({
    'image/*': { 'image/jpeg': 'image to jpeg', 'image/*': 'image to image', default: 'image to any' },
    'application/pdf': { 'text/plain': 'pdf to text' },
    default: 'any',
  });
  it.each([
    ['its exact type', BY_SOURCE, 'image/png', 'text/plain', 'png'],
    ['its family', BY_SOURCE, 'image/tiff', undefined, 'image'],
    ['default', BY_SOURCE, 'text/plain', 'image/png', 'any'],
    ['the exact destination', BY_DESTINATION, 'text/plain', 'image/png', 'to png'],
    ['the family of the destination', BY_DESTINATION, 'image/png', 'image/jp2', 'to image'],
    ['default, by destination', BY_DESTINATION, 'image/png', 'text/plain', 'to any'],
    ['default, without a destination', BY_DESTINATION, 'image/png', undefined, 'to any'],
    ['source and then exact destination', NESTED, 'image/tiff', 'image/jpeg', 'image to jpeg'],
    ['source and then family of destination', NESTED, 'image/tiff', 'image/png', 'image to image'],
    ['source and then default', NESTED, 'image/tiff', 'text/plain', 'image to any'],
    ['source and no destination', NESTED, 'image/tiff', undefined, 'image to any'],
    ['a source that is not nested', NESTED, 'text/plain', 'image/jpeg', 'any'],
  ])('is chosen by %s', (_, config, sourceType, destinationType, expected) => {
    expect(chooseCommand(config, sourceType, destinationType).key).toBe(expected);
  });

  it('is not the default if a nested table lacks the destination', () => {
    expect(() => chooseCommand(NESTED, 'application/pdf', 'image/jpeg')).toThrow(
      serviceError('misconfigured', /^No command is configured that makes image\/jpeg from application\/pdf\.$/),
    );
  });

  it.each([
    [
      'no type fits',
      configOf({ 'image/png': 'png' }),
      'text/plain',
      'text/html',
      /makes something from text\/plain\.$/,
    ],
    [
      'no destination fits',
      configOf({ 'image/png': 'png' }, true),
      'image/png',
      'text/html',
      /text\/html from image\/png/,
    ],
  ])('is missing if %s', (_, config, sourceType, destinationType, message) => {
    expect(() => chooseCommand(config, sourceType, destinationType)).toThrow(serviceError('misconfigured', message));
  });

  it.each([
    ['by destination', configOf({ 'image/png': 'png' }, true), 'image/png'],
    ['nested', NESTED, 'application/pdf'],
  ])('requires an Accept header if chosen %s', (_, config, sourceType) => {
    expect(() => chooseCommand(config, sourceType, undefined)).toThrow(serviceError('malformed', /^The Accept header/));
  });
});

describe('the missing programs', () => {
  const lacking = (key: string, ...missing: string[]): CommandDefinition => ({ ...command(key), missing });
  const config = {
    allowedMimeTypes: ['text/*', 'application/pdf'],
    mimeTypeFromDestination: false,
    commands: new Map<string, CommandEntry>([
      ['text/plain', lacking('exact', 'tesseract')],
      ['text/*', command('family')],
      ['application/pdf', { byDestination: new Map([['image/*', lacking('nested', 'pdftoppm', 'convert')]]) }],
      ['default', lacking('any', 'exiftool')],
    ]),
  };

  it.each([
    ['text/plain', 'text/html', ['tesseract']],
    ['TEXT/Plain; charset=utf-8', 'text/html', ['tesseract']],
    ['text/csv', 'text/html', []],
    ['application/pdf', 'image/png', ['pdftoppm', 'convert']],
    ['application/pdf', 'IMAGE/JPEG', ['pdftoppm', 'convert']],
    ['application/pdf', 'text/plain', []],
    ['application/pdf', '*/*', []],
    ['image/png', 'text/plain', []],
    ['nonsense', 'text/plain', []],
  ])('for %s to %s are %j', (from, to, missing) => {
    expect(missingFor(config, from, to)).toEqual(missing);
  });

  it('are those of the command chosen by destination', () => {
    const byDestination = { ...config, mimeTypeFromDestination: true };
    expect(missingFor(byDestination, 'text/csv', 'text/plain')).toEqual(['tesseract']);
    expect(missingFor(byDestination, 'text/csv', 'nonsense')).toEqual(['exiftool']);
  });

  it('disable the command, and are hidden from the caller', () => {
    const thrown = serviceError('misconfigured', /^No command is configured that makes something from text\/plain\.$/);
    expect(() => chooseCommand(config, 'text/plain', undefined)).toThrow(thrown);
  });
});
