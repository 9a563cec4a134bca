import { SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Location } from '../../../api/api-types.ts';
import { t, textOrWords } from '../../../texts/t.ts';
import { ManyField } from './fields.tsx';
import { paymentOptions } from './payment-options.ts';
import { ProfileSection } from './profile-section.tsx';
import { RowsField } from './rows-field.tsx';

type Attribute = NonNullable<Location['attributes']>[number];

const languageNames = new Intl.DisplayNames('en', { type: 'language' });
const languageCodes =
  'ar bg ca cs da de el en es et fa fi fr ga he hi hr hu id it ja ko lt lv ms mt nl no pl pt ro ru sk sl sq sr sv th tr uk vi zh'.split(
    ' ',
  );
const languages = languageCodes
  .map((code) => ({ value: code, label: languageNames.of(code) ?? code }))
  .sort((a, b) => a.label.localeCompare(b.label));

const payments = paymentOptions.map((value) => ({ value, label: textOrWords('locations.payments', value) }));

export function OffersSection() {
  return (
    <ProfileSection id="offers">
      <ManyField field="paymentOptions" data={payments} />
      <ManyField field="languages" data={languages} />
      <Attributes />
      <RowsField
        field="serviceAreas"
        blank={() => ({ name: '' })}
        addLabel={t('locations.rows.addArea')}
        empty={t('locations.rows.noAreas')}
        rowName={({ name }) => name || t('locations.rows.area')}
        render={({ name }, change) => (
          <TextInput
            aria-label={t('locations.rows.area')}
            value={name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        )}
      />
      <RowsField
        field="customFields"
        blank={() => ({ name: '', value: '' })}
        addLabel={t('locations.rows.addCustom')}
        empty={t('locations.rows.noCustom')}
        rowName={({ name }) => name || t('locations.rows.custom')}
        render={(row, change) => (
          <NameAndValue
            name={row.name}
            value={row.value}
            onName={(name) => change({ name })}
            onValue={(text) => change({ value: text })}
          />
        )}
      />
    </ProfileSection>
  );
}

/** Typed values become booleans, numbers or text. */
function Attributes() {
  return (
    <RowsField
      field="attributes"
      blank={() => ({ key: '', value: true })}
      addLabel={t('locations.rows.addAttribute')}
      empty={t('locations.rows.noAttributes')}
      rowName={({ key }) => key || t('locations.rows.attribute')}
      render={(row, change) => (
        <NameAndValue
          name={row.key}
          value={attributeText(row.value)}
          onName={(key) => change({ key })}
          onValue={(text) => change({ value: Array.isArray(row.value) ? listOf(text) : attributeValue(text) })}
          {...(Array.isArray(row.value) && { normalize: (text) => attributeText(listOf(text)) })}
        />
      )}
    />
  );
}

const attributeText = (value: Attribute['value']): string =>
  value === true ? 'yes' : value === false ? 'no' : Array.isArray(value) ? value.join(', ') : String(value);

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** Digits with a leading zero, or more than a number can hold, stay text. */
const attributeValue = (text: string): Attribute['value'] =>
  text === 'yes' ? true : text === 'no' ? false : /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;

interface NameAndValueProps {
  name: string;
  value: string;
  onName: (name: string) => void;
  onValue: (value: string) => void;
  /** The text of the value that is saved for a typed text. */
  normalize?: (typed: string) => string;
}

function NameAndValue({ name, value, onName, onValue, normalize = (typed) => typed }: NameAndValueProps) {
  // Keeps a comma or space at the end while the user types.
  const [typed, setTyped] = useState(value);
  return (
    <SimpleGrid cols={2} spacing="xs">
      <TextInput
        aria-label={t('locations.rows.name')}
        placeholder={t('locations.rows.name')}
        value={name}
        onChange={(event) => onName(event.currentTarget.value)}
      />
      <TextInput
        aria-label={t('locations.rows.valueOf', { name })}
        placeholder={t('locations.rows.value')}
        value={normalize(typed) === value ? typed : value}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          onValue(event.currentTarget.value);
        }}
        onBlur={() => setTyped(value)}
      />
    </SimpleGrid>
  );
}
