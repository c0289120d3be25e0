import { Type as t } from '@sinclair/typebox';
import { cellText, formFault } from './cell.ts';
import { FLOAT, isMapOrEmpty, isNothing, readMap, toFloat } from './convert-value.ts';
import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import { langWithin, PAGE_LANGUAGE } from './display/language.ts';
import { PlaceOnMap, pointInWords } from './display/place-on-map.tsx';
import { answered, anyScalar, freeMap, text } from './schemas.ts';
import { matches } from './text-check.ts';
import { WRONG_TYPE, wrongType } from './violation.ts';

/** A point in a cell. A backslash prevents spreadsheets from reading a plus sign as a formula. */
const POINT = /^\\?\s*([+-]?[\d.]+(?:e[+-]?\d+)?)\s*,\s*\\?\s*([+-]?[\d.]+(?:e[+-]?\d+)?)$/i;

/**
 * A point in degrees, with computed members for spatial queries. Accepts a latitude beyond 90 degrees, as Islandora does:
 * loaders write them.
 */
export const geolocation = defineFieldType({
  ...NO_WORDS,
  main: undefined,
  properties: { value: 'text', lat: 'number', lng: 'number' },
  answer: answered('GeolocationItem', {
    lat: t.Number(),
    lng: t.Number(),
    lat_sin: t.Number(),
    lat_cos: t.Number(),
    lng_rad: t.Number(),
    data: freeMap,
    value: text,
  }),
  input: { name: 'GeolocationInput', members: { lat: anyScalar, lng: anyScalar, data: t.Unknown() } },
  parse: (raw) =>
    isNothing(raw.lat) || isNothing(raw.lng)
      ? undefined
      : { lat: toFloat(raw.lat), lng: toFloat(raw.lng), data: readMap(raw.data) },
  violations: (item) => [
    ...['lat', 'lng'].flatMap((path) => (Number.isFinite(item[path] ?? null) ? [] : [wrongType(path)])),
    ...(isMapOrEmpty(item.data) ? [] : [wrongType('data')]),
  ],
  complete: ({ lat = null, lng = null, data = [] }) => {
    const latitude = typeof lat === 'number' ? radians(lat) : 0;
    const longitude = typeof lng === 'number' ? radians(lng) : 0;
    return {
      lat,
      lng,
      lat_sin: Math.sin(latitude),
      lat_cos: Math.cos(latitude),
      lng_rad: longitude,
      data,
      value: `${lat}, ${lng}`,
    };
  },
  show: ({ lat, lng }, _definition, { language, worldOutline }) => {
    if (typeof lat !== 'number' || typeof lng !== 'number') return undefined;
    return (
      <div class="place" {...langWithin(PAGE_LANGUAGE, language)}>
        <p>{pointInWords(lat, lng)}</p>
        {worldOutline && <PlaceOnMap latitude={lat} longitude={lng} outline={worldOutline} />}
      </div>
    );
  },
  controls: () => [
    {
      kind: 'text',
      member: 'lat',
      label: 'Latitude',
      checks: [matches(FLOAT, WRONG_TYPE)],
      inputMode: 'decimal',
      isShort: true,
      help: 'In degrees, such as 47.5596',
    },
    {
      kind: 'text',
      member: 'lng',
      label: 'Longitude',
      checks: [matches(FLOAT, WRONG_TYPE)],
      inputMode: 'decimal',
      isShort: true,
      help: 'In degrees, such as 7.5886',
    },
  ],
  writeCell: ({ lat, lng }) => `${withoutExponent(cellText(lat))},${withoutExponent(cellText(lng))}`,
  readCell: (cell, definition) => {
    const [, lat, lng] = POINT.exec(cell.trim()) ?? [];
    if (lat === undefined || lng === undefined)
      return formFault(cell, 'latitude,longitude as "49.16667,-123.93333"', definition);
    return { raw: { lat, lng } };
  },
  cellKind: 'latitude and longitude, as "49.16667,-123.93333"',
  module: 'geolocation',
  widget: 'geolocation_latlng',
});

function radians(degrees: number): number {
  return (degrees / 180) * Math.PI;
}

/** Returns `0.0000001` for `1e-7`. */
function withoutExponent(number: string): string {
  const [, sign = '', first, rest = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(number) ?? [];
  return first === undefined ? number : `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${rest}`;
}
