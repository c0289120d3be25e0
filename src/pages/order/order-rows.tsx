import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { type OrderPageData, type OrderRow, positionField } from './order-data.ts';

interface Props {
  readonly data: OrderPageData;
  readonly root: string;
}

/** The members with their positions. A row is small, since an item may have thousands of them. */
export function OrderRows({ data: { rows, messages }, root }: Props) {
  return (
    <ol class="order-rows">
      {rows.map((row) => (
        <Row key={row.id} row={row} error={errorOf(messages, positionField(row.id))} root={root} />
      ))}
    </ol>
  );
}

function Row({ row, error, root }: { row: OrderRow; error: string | undefined; root: string }) {
  const { id, label, language, isPublished, thumbnail, position, isAdded } = row;
  const field = positionField(id);
  return (
    <li class="value-row">
      <input
        id={field}
        name={field}
        value={position}
        inputMode="numeric"
        aria-label={`Position of ${label}`}
        {...(error && { 'aria-invalid': 'true', 'aria-describedby': `${field}-error` })}
      />
      <span class="picture">
        {/* The picture is decoration: the title beside it names the member. */}
        {thumbnail && (
          <img
            src={root + thumbnail.path}
            alt=""
            width={thumbnail.width}
            height={thumbnail.height}
            loading="lazy"
            decoding="async"
          />
        )}
      </span>
      <span>
        <a href={root + entityPath.node(id)} dir="auto" {...langWithin(languageOf(language), PAGE_LANGUAGE)}>
          {label}
        </a>
        {!isPublished && <span class="soft"> (not published)</span>}
        {isAdded && <strong> (added)</strong>}
        {error && (
          <span class="error" id={`${field}-error`}>
            {error}
          </span>
        )}
      </span>
    </li>
  );
}
