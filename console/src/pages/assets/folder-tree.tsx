import { Group, Text, Tree, type TreeNodeData, useTree } from '@mantine/core';
import { ChevronRight, Folder, FolderOpen } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import type { AssetFolder } from '../../api/api-types.ts';
import { t } from '../../texts/t.ts';
import classes from './assets.module.css';

interface Props {
  folders: readonly AssetFolder[];
  selected: number | undefined;
  onSelect: (id: number | undefined) => void;
}

const top = '0';

export function FolderTree({ folders, selected, onSelect }: Props) {
  const value = String(selected ?? top);
  const [expandedState, setExpanded] = useState<Record<string, boolean>>({ [top]: true });
  const tree = useTree({ expandedState, onExpandedStateChange: setExpanded, selectedState: [value] });
  // The tree sets its state again whenever its data is another object.
  const data = useMemo(
    () => [{ value: top, label: t('assets.allAssets'), children: childrenOf(folders, undefined) }],
    [folders],
  );
  // A string, so that the effect runs only if the selected folder or its ancestors change.
  const path = [top, ...ancestorsOf(folders, selected), value].join();
  useEffect(() => {
    const ancestors = path.split(',').slice(0, -1);
    setExpanded((state) => ({ ...state, ...Object.fromEntries(ancestors.map((id) => [id, true])) }));
  }, [path]);
  const choose = (node: string) => onSelect(node === top ? undefined : Number(node));
  return (
    <Tree
      onKeyDown={(event) => {
        const node = (event.target as HTMLElement).closest('[data-value]')?.getAttribute('data-value');
        if (event.key === 'Enter' && node) choose(node);
      }}
      aria-label={t('assets.folders')}
      data={data}
      tree={tree}
      levelOffset={18}
      renderNode={({ node, expanded, hasChildren, elementProps }) => {
        const Icon = value === node.value ? FolderOpen : Folder;
        return (
          <Group
            {...elementProps}
            gap={6}
            wrap="nowrap"
            className={`${elementProps.className} ${classes.node}`}
            data-chosen={value === node.value || undefined}
            onClick={(event) => {
              elementProps.onClick(event);
              choose(node.value);
            }}
          >
            <ChevronRight
              size={14}
              aria-hidden
              className={classes.chevron}
              data-expanded={expanded || undefined}
              visibility={hasChildren ? 'visible' : 'hidden'}
            />
            <Icon size={16} aria-hidden className={classes.nodeIcon} />
            <Text size="sm" truncate title={String(node.label)}>
              {node.label}
            </Text>
          </Group>
        );
      }}
    />
  );
}

function childrenOf(folders: readonly AssetFolder[], parentId: number | undefined): TreeNodeData[] {
  return folders
    .filter((folder) => folder.parentId === parentId)
    .map(({ id, name, foldersCount }) => ({
      value: String(id),
      label: name,
      ...(foldersCount > 0 && { children: childrenOf(folders, id) }),
    }));
}

/** Ancestors of a folder, outermost first. */
export function ancestorsOf(folders: readonly AssetFolder[], id: number | undefined): number[] {
  const parent = folders.find((folder) => folder.id === id)?.parentId;
  return parent === undefined ? [] : [...ancestorsOf(folders, parent), parent];
}
