/** A standard statement of rights or a licence, which an address identifies. */
interface Rights {
  readonly name: string;
  readonly address: string;
  readonly glyphs: readonly (keyof typeof GLYPHS)[];
}

/** The statements of rightsstatements.org by code. */
const STATEMENTS: Readonly<Record<string, string>> = {
  InC: 'In Copyright',
  'InC-OW-EU': 'In Copyright – EU Orphan Work',
  'InC-EDU': 'In Copyright – Educational Use Permitted',
  'InC-NC': 'In Copyright – Non-Commercial Use Permitted',
  'InC-RUU': 'In Copyright – Rights-holder(s) Unlocatable or Unidentifiable',
  'NoC-CR': 'No Copyright – Contractual Restrictions',
  'NoC-NC': 'No Copyright – Non-Commercial Use Only',
  'NoC-OKLR': 'No Copyright – Other Known Legal Restrictions',
  'NoC-US': 'No Copyright – United States',
  CNE: 'Copyright Not Evaluated',
  UND: 'Copyright Undetermined',
  NKC: 'No Known Copyright',
};
const CONDITIONS = { by: 'Attribution', nc: 'NonCommercial', nd: 'NoDerivatives', sa: 'ShareAlike' } as const;
const STATEMENT = /^https?:\/\/rightsstatements\.org\/(?:vocab|page)\/([A-Za-z-]{1,12})\/1\.0\/?(?:\?.*)?$/;
const LICENCE =
  /^https?:\/\/creativecommons\.org\/licenses\/(by(?:-nc)?(?:-nd|-sa)?)\/([1-4]\.[05])(?:\/([a-z]{2,4}))?(?:\/deed(?:\.[\w-]+)?)?\/?$/i;
const PUBLIC_DOMAIN = /^https?:\/\/creativecommons\.org\/publicdomain\/(zero|mark)\/1\.0(?:\/deed(?:\.[\w-]+)?)?\/?$/i;

/** Returns the rights that a text names, which must be the address of a statement or licence as a whole. */
export function rightsOf(text: string): Rights | undefined {
  const address = text.trim();
  const [, code = ''] = STATEMENT.exec(address) ?? [];
  if (Object.hasOwn(STATEMENTS, code)) {
    const glyph = code.startsWith('InC') ? 'copyright' : code.startsWith('NoC') ? 'noCopyright' : 'unknown';
    return { name: STATEMENTS[code] as string, address, glyphs: [glyph] };
  }
  const [, conditions, version, place] = LICENCE.exec(address) ?? [];
  if (conditions !== undefined) {
    const codes = conditions.toLowerCase().split('-') as (keyof typeof CONDITIONS)[];
    const of = `${version}${place === undefined ? '' : ` ${place.toUpperCase()}`}`;
    const name = codes.map((each) => CONDITIONS[each]).join('-');
    return {
      name: `Creative Commons ${name} ${of} (CC ${conditions.toUpperCase()} ${of})`,
      address,
      glyphs: ['cc', ...codes],
    };
  }
  const [, tool] = PUBLIC_DOMAIN.exec(address) ?? [];
  if (tool === undefined) return undefined;
  return tool.toLowerCase() === 'zero'
    ? { name: 'Creative Commons Zero: No Rights Reserved (CC0 1.0)', address, glyphs: ['cc', 'zero'] }
    : { name: 'Public Domain Mark 1.0', address, glyphs: ['publicDomain'] };
}

/** The lines of the icons, inside a circle of a square of 24 units. */
const GLYPHS = {
  cc: 'M10.6 10a2.6 2.6 0 1 0 0 4M17.4 10a2.6 2.6 0 1 0 0 4',
  by: 'M12 5.4v1.2M9.6 9.4h4.8v4.4h-1.2v4.6h-2.4v-4.6H9.6z',
  sa: 'M8.2 10.6a4.2 4.2 0 1 1 0 3M6.4 8.8l1.8 2 2-1.6',
  nc: 'M14.6 9.4c-.6-1-1.5-1.5-2.6-1.5-1.4 0-2.5.8-2.5 2 0 3 5.1 1.6 5.1 4.3 0 1.2-1.2 2-2.6 2-1.2 0-2.2-.5-2.8-1.5M12 6v12M4 8.4l16 7.2',
  nd: 'M8 10.2h8M8 13.8h8',
  zero: 'M12 6.8c2 0 3.2 2.1 3.2 5.2S14 17.2 12 17.2 8.8 15.1 8.8 12 10 6.8 12 6.8zM14 8.4l-4 7.2',
  publicDomain: 'M14.8 9.8a3.6 3.6 0 1 0 0 4.4M4.6 7.4l14.8 9.2',
  copyright: 'M14.8 9.8a3.6 3.6 0 1 0 0 4.4',
  noCopyright: 'M14.8 9.8a3.6 3.6 0 1 0 0 4.4M4.6 7.4l14.8 9.2',
  unknown: 'M9.6 9.8a2.4 2.4 0 1 1 3.4 2.2c-.7.4-1 .8-1 1.7M12 16.4v.2',
} as const;

/** Shows rights by name with icons, as a link to their text. `label` replaces the name. */
export function RightsLink({ rights, label = rights.name }: { rights: Rights; label?: string | undefined }) {
  return (
    <a class="rights" href={rights.address} rel="license">
      <RightsIcon rights={rights} />
      {label}
    </a>
  );
}

/** The icons of rights, which repeat their name. */
export function RightsIcon({ rights: { glyphs } }: { rights: Rights }) {
  const width = 24 * glyphs.length;
  return (
    <svg viewBox={`0 0 ${width} 24`} width={width} height="24" aria-hidden="true">
      <g fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round">
        {glyphs.map((glyph, at) => (
          <g key={glyph} transform={`translate(${24 * at})`}>
            <circle cx="12" cy="12" r="10.4" />
            <path d={GLYPHS[glyph]} />
          </g>
        ))}
      </g>
    </svg>
  );
}
