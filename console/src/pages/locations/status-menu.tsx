import { Button, Menu } from '@mantine/core';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { Location } from '../../api/api-types.ts';
import { t, textOrWords } from '../../texts/t.ts';
import type { LocationStatus } from './location-values.ts';
import { StatusChange } from './status-change.tsx';

type Target = Exclude<LocationStatus, 'CREATED'>;

function movesFrom({ status, endDate }: Location): Target[] {
  const today = new Date().toISOString().slice(0, 10);
  switch (status) {
    case 'ACTIVE':
      return ['NEEDS_REVIEW', 'CANCELLED', 'CLOSED'];
    case 'NEEDS_REVIEW':
      return ['ACTIVE', 'CANCELLED'];
    case 'CANCELLED':
      return endDate === undefined || today < endDate ? ['ACTIVE', 'CLOSED'] : ['CLOSED'];
    case 'INACTIVE':
      return endDate === undefined || today > endDate ? ['ACTIVE', 'CLOSED', 'DELETED'] : ['ACTIVE', 'CLOSED'];
    case 'CLOSED':
      return ['ACTIVE'];
    default:
      return [];
  }
}

export function StatusMenu({ location }: { location: Location }) {
  const [target, setTarget] = useState<Target>();
  const targets = movesFrom(location);
  if (targets.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={16} aria-hidden />}>
            {t('locations.statusChange.change')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {targets.map((one) => (
            <Menu.Item key={one} color={one === 'DELETED' ? 'red' : undefined} onClick={() => setTarget(one)}>
              {textOrWords('locations.statusChange.to', one)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {target && <StatusChange location={location} target={target} onClose={() => setTarget(undefined)} />}
    </>
  );
}
