import { Type as t } from '@sinclair/typebox';
import { cellText, formFault } from './cell.ts';
import { FLOAT, isMapOrEmpty, isNothing, readMap, toFloat } from './convert-value.ts';
import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import { langWithin, PAGE_LANGUAGE } from './display/language.ts';
import { answered, freeMap, text } from './schemas.ts';
import { matches } from './text-check.ts';
import { WRONG_TYPE, wrongType } from './violation.ts';

/** A point in a cell. A backslash prevents spreadsheets from reading a plus sign as a formula. */
const POINT = /^\\?\s*([+-]?[\d.]+(?:e[+-]?\d+)?)\s*,\s*\\?\s*([+-]?[\d.]+(?:e[+-]?\d+)?)$/i;

const MAX_LATITUDE = 90;
const MAX_LONGITUDE = 180;
const COORDINATES = [
  coordinate('lat', 'Latitude', MAX_LATITUDE, 'In degrees, such as 47.5596'),
  coordinate('lng', 'Longitude', MAX_LONGITUDE, 'In degrees, such as 7.5886'),
];

/** The control of a member of a point, with the rule that it is on the earth. */
function coordinate(member: 'lat' | 'lng', label: string, max: number, help: string) {
  const message = `${label}: a number of degrees from -${max} to ${max}.`;
  return { member, label, help, checks: [{ min: -max, max, message }] };
}

/**
 * A point in degrees, with computed members for spatial queries. A latitude beyond 90 degrees is often a pair in the wrong
 * order: forms and tables refuse it. Programs may write it, as in Islandora: loaders do.
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
  input: ['lat', 'lng', 'data'],
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
  controls: () =>
    COORDINATES.map(({ member, label, help, checks }) => ({
      ...({ kind: 'text', inputMode: 'decimal', isShort: true } as const),
      ...{ member, label, help },
      checks: [matches(FLOAT, WRONG_TYPE), ...checks],
    })),
  writeCell: ({ lat, lng }) => `${withoutExponent(cellText(lat))},${withoutExponent(cellText(lng))}`,
  readCell: (cell, definition) => {
    const [, lat, lng] = POINT.exec(cell.trim()) ?? [];
    const isOnEarth = Math.abs(Number(lat)) <= MAX_LATITUDE && Math.abs(Number(lng)) <= MAX_LONGITUDE;
    if (lat === undefined || lng === undefined || !isOnEarth)
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

/** Units of the outline of the world (`world.svg`) per degree. It begins at 90 degrees north and 180 degrees west. */
const UNITS_PER_DEGREE = 5;
const WORLD = { width: 360 * UNITS_PER_DEGREE, height: 180 * UNITS_PER_DEGREE };
/** The shown part of the world, and its size in pixels. */
const PART = { width: 90 * UNITS_PER_DEGREE, height: 45 * UNITS_PER_DEGREE };
const PICTURE = { width: 320, height: 160 };
const MARK_RADIUS = 9;
/** Five digits are about a metre. */
const MAX_DIGITS = 5;

/** Returns a point in words: "49.16667° north, 123.93333° west". */
function pointInWords(latitude: number, longitude: number): string {
  const degrees = (value: number, positive: string, negative: string) => {
    const size = Math.abs(Number(value.toFixed(MAX_DIGITS)));
    return size === 0 ? '0°' : `${size}° ${value < 0 ? negative : positive}`;
  };
  return `${degrees(latitude, 'north', 'south')}, ${degrees(longitude, 'east', 'west')}`;
}

interface Props {
  readonly latitude: number;
  readonly longitude: number;
  /** The address of the outline of the world. */
  readonly outline: string;
}

/** A map of the land around a point, with a mark. Nothing for a latitude that does not exist. */
function PlaceOnMap({ latitude, longitude, outline }: Props) {
  if (Math.abs(latitude) > MAX_LATITUDE || !Number.isFinite(longitude)) return null;
  const x = ((((longitude + 180) % 360) + 360) % 360) * UNITS_PER_DEGREE;
  const y = (90 - latitude) * UNITS_PER_DEGREE;
  const left = Math.min(Math.max(x - PART.width / 2, 0), WORLD.width - PART.width);
  const top = Math.min(Math.max(y - PART.height / 2, 0), WORLD.height - PART.height);
  return (
    <svg
      class="map"
      viewBox={`${rounded(left)} ${rounded(top)} ${PART.width} ${PART.height}`}
      {...PICTURE}
      role="img"
      aria-label="This place on a map"
    >
      <image href={outline} {...WORLD} />
      <circle cx={rounded(x)} cy={rounded(y)} r={MARK_RADIUS} />
    </svg>
  );
}

function rounded(units: number): number {
  return Number(units.toFixed(1));
}
