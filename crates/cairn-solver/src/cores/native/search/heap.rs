//! The order in which variables are decided: by activity.

use super::cone_solver::Var;

/// A binary heap of variables, the most active first; ties go to the earlier insertion.
#[derive(Default)]
pub struct DecisionHeap {
    items: Vec<Var>,
    /// Position in `items` plus one; 0 if not in the heap.
    position: Vec<u32>,
    /// Which variables may be decided.
    member: Vec<bool>,
    members: Vec<Var>,
}

impl DecisionHeap {
    /// Adds a variable.
    pub fn grow(&mut self) {
        self.position.push(0);
        self.member.push(false);
    }

    /// Removes all variables: a new cone starts.
    pub fn clear(&mut self) {
        for &v in &self.items {
            self.position[v as usize] = 0;
        }
        self.items.clear();
        for &v in &self.members {
            self.member[v as usize] = false;
        }
        self.members.clear();
    }

    /// Lets a variable be decided.
    pub fn insert(&mut self, v: Var, activity: &[f32]) {
        if !self.member[v as usize] {
            self.member[v as usize] = true;
            self.members.push(v);
        }
        self.back(v, activity);
    }

    #[inline]
    /// Puts back a variable that became unassigned.
    pub fn back(&mut self, v: Var, activity: &[f32]) {
        if !self.member[v as usize] || self.position[v as usize] != 0 {
            return;
        }
        self.items.push(v);
        self.position[v as usize] = self.items.len() as u32;
        self.up(self.items.len() - 1, activity);
    }

    #[inline]
    /// Restores the order after the activity of a variable was raised.
    pub fn raised(&mut self, v: Var, activity: &[f32]) {
        let p = self.position[v as usize];
        if p != 0 {
            self.up(p as usize - 1, activity);
        }
    }

    #[inline]
    /// Removes and returns the most active variable.
    pub fn pop(&mut self, activity: &[f32]) -> Option<Var> {
        let top = *self.items.first()?;
        self.position[top as usize] = 0;
        let last = self.items.pop().expect("not empty");
        if last != top {
            self.items[0] = last;
            self.position[last as usize] = 1;
            self.down(0, activity);
        }
        Some(top)
    }

    fn up(&mut self, mut i: usize, activity: &[f32]) {
        let v = self.items[i];
        while i > 0 {
            let parent = (i - 1) / 2;
            let p = self.items[parent];
            if activity[p as usize] >= activity[v as usize] {
                break;
            }
            self.items[i] = p;
            self.position[p as usize] = i as u32 + 1;
            i = parent;
        }
        self.items[i] = v;
        self.position[v as usize] = i as u32 + 1;
    }

    fn down(&mut self, mut i: usize, activity: &[f32]) {
        let v = self.items[i];
        loop {
            let mut child = 2 * i + 1;
            if child >= self.items.len() {
                break;
            }
            if child + 1 < self.items.len()
                && activity[self.items[child + 1] as usize] > activity[self.items[child] as usize]
            {
                child += 1;
            }
            let c = self.items[child];
            if activity[c as usize] <= activity[v as usize] {
                break;
            }
            self.items[i] = c;
            self.position[c as usize] = i as u32 + 1;
            i = child;
        }
        self.items[i] = v;
        self.position[v as usize] = i as u32 + 1;
    }
}
