import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Moon, Sun } from 'lucide-react';
import { t } from '../texts/t.ts';

export function ColorSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  const label = t(isDark ? 'colors.toLight' : 'colors.toDark');
  return (
    <Tooltip label={label}>
      <ActionIcon size="lg" aria-label={label} onClick={() => setColorScheme(isDark ? 'light' : 'dark')}>
        {isDark ? <Sun size={18} aria-hidden /> : <Moon size={18} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
