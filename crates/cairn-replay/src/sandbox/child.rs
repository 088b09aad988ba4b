//! What happens between `fork` and `exec`. Other threads of the parent are gone here, and what they held
//! stays held: so there are only system calls, on memory that was prepared before.
//!
//! With processes of its own there are three of them: the one that was started, which waits and ends as the
//! program does; the first of the new numbers, which has nothing to do but wait, because signals that a
//! first process sends itself are ignored (`abort` would not end it); and the program.

use super::{Access, Mount, Plan};
use libc::{c_char, c_int, c_long, c_ulong};
use std::ffi::CStr;
use std::io;
use std::ptr;

/// The room of the files in memory.
const MEMORY_OPTIONS: &CStr = c"mode=755,size=512m";

/// `struct mount_attr` of the kernel.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

const READ_ONLY: u64 = 1;
const NO_SET_ID: u64 = 2;
/// The whole tree of mounts.
const RECURSIVE: c_long = 0x8000;

/// `struct __user_cap_header_struct` and two `struct __user_cap_data_struct`.
const CAPABILITY_VERSION: u32 = 0x2008_0522;

/// The bits that keep a process with the user id 0 from having or getting capabilities, and their locks.
const NEVER_ROOT: c_ulong = 0x2f;

/// Leaves for a sandbox. Returns in the process that is to be the program.
///
/// # Errors
/// What the system refuses.
pub(super) fn enter(plan: &Plan) -> io::Result<()> {
    // SAFETY: system calls with pointers to memory that lives as long as the plan, or on this stack.
    unsafe {
        limit(libc::RLIMIT_CORE, 0);
        limit(libc::RLIMIT_FSIZE, plan.largest_file);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong, 0, 0, 0);
        leave(plan)?;
        if !plan.is_alone {
            make_view(plan)?;
            return renounce();
        }
        raise_loopback();
        let page = libc::mmap(
            ptr::null_mut(),
            size_of::<c_int>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let status = page.cast::<c_int>();
        let first = fork()?;
        if first > 0 {
            close_others();
            wait_for(first);
            end_like(*status);
        }
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong, 0, 0, 0);
        make_view(plan)?;
        let program = fork()?;
        if program > 0 {
            close_others();
            *status = wait_for(program);
            // All that the program left behind ends with this process.
            libc::_exit(0);
        }
        renounce()
    }
}

/// Without the functions that libraries want to be called at a fork.
unsafe fn fork() -> io::Result<libc::pid_t> {
    // SAFETY: a fork, with no memory shared.
    let pid = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD as c_long, 0, 0, 0, 0) };
    check(pid as c_int)?;
    Ok(pid as libc::pid_t)
}

fn check(result: c_int) -> io::Result<()> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

unsafe fn limit(resource: libc::__rlimit_resource_t, most: u64) {
    let limit = libc::rlimit {
        rlim_cur: most,
        rlim_max: most,
    };
    // Lower limits than these stay.
    // SAFETY: a plain system call.
    unsafe { libc::setrlimit(resource, &limit) };
}

/// To namespaces of its own: as a user with all rights in them and none outside, or, where there are no
/// user namespaces, as root.
unsafe fn leave(plan: &Plan) -> io::Result<()> {
    let mut spaces = libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
    if plan.is_alone {
        spaces |= libc::CLONE_NEWPID | libc::CLONE_NEWNET;
    }
    // SAFETY: plain system calls.
    unsafe {
        if check(libc::unshare(spaces | libc::CLONE_NEWUSER)).is_ok() {
            // Without a kernel that knows it, it is not needed.
            let _ = write(c"/proc/self/setgroups", b"deny");
            write(c"/proc/self/uid_map", &plan.uid_map)?;
            return write(c"/proc/self/gid_map", &plan.gid_map);
        }
        check(libc::unshare(spaces))
    }
}

unsafe fn write(file: &CStr, content: &[u8]) -> io::Result<()> {
    // SAFETY: plain system calls on a name and bytes that live.
    unsafe {
        let open = libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        check(open)?;
        let written = libc::write(open, content.as_ptr().cast(), content.len());
        let result = check(written as c_int);
        libc::close(open);
        result
    }
}

/// Programs that talk to themselves find 127.0.0.1. If not, they are told so.
unsafe fn raise_loopback() {
    // SAFETY: plain system calls on memory on this stack.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return;
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as c_char;
        request.ifr_name[1] = b'o' as c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        libc::ioctl(socket, libc::SIOCSIFFLAGS, &request);
        libc::close(socket);
    }
}

/// Makes the files that the program sees, and goes there.
unsafe fn make_view(plan: &Plan) -> io::Result<()> {
    // SAFETY: system calls with names that live as long as the plan.
    unsafe {
        let none = ptr::null();
        let private = libc::MS_REC | libc::MS_PRIVATE;
        mount(none, c"/".as_ptr(), none, private, none)?;
        let memory = |at: &CStr| {
            let flags = libc::MS_NOSUID | libc::MS_NODEV;
            let kind = c"tmpfs".as_ptr();
            mount(kind, at.as_ptr(), kind, flags, MEMORY_OPTIONS.as_ptr())
        };
        memory(&plan.root)?;
        libc::umask(0);
        // What is there already, or below something that is mounted later, shows when it is used.
        for (folder, mode) in &plan.folders {
            libc::mkdir(folder.as_ptr(), *mode);
        }
        for file in &plan.files {
            libc::close(libc::open(
                file.as_ptr(),
                libc::O_CREAT | libc::O_CLOEXEC,
                0o644,
            ));
        }
        for (to, at) in &plan.links {
            libc::symlink(to.as_ptr(), at.as_ptr());
        }
        libc::umask(0o022);
        memory(&plan.memory)?;
        libc::mkdir(plan.upper.as_ptr(), 0o755);
        libc::mkdir(plan.work.as_ptr(), 0o755);
        for shown in &plan.mounts {
            show(shown)?;
        }
        show_processes(plan)?;
        // What is laid over another folder stays with it.
        libc::umount2(plan.memory.as_ptr(), libc::MNT_DETACH);
        libc::rmdir(plan.memory.as_ptr());
        check(libc::chdir(plan.root.as_ptr()))?;
        let here = c".".as_ptr();
        check(libc::syscall(libc::SYS_pivot_root, here, here) as c_int)?;
        check(libc::umount2(here, libc::MNT_DETACH))?;
        check(libc::chdir(plan.here.as_ptr()))
    }
}

unsafe fn mount(
    source: *const c_char,
    target: *const c_char,
    kind: *const c_char,
    flags: c_ulong,
    options: *const c_char,
) -> io::Result<()> {
    // SAFETY: the caller's names live.
    check(unsafe { libc::mount(source, target, kind, flags, options.cast()) })
}

unsafe fn show(shown: &Mount) -> io::Result<()> {
    let none = ptr::null();
    // SAFETY: system calls with names that live as long as the plan.
    unsafe {
        let (source, target) = (shown.source.as_ptr(), shown.target.as_ptr());
        if shown.access == Access::Forgetful && !shown.overlay.is_empty() {
            let kind = c"overlay".as_ptr();
            let flags = libc::MS_NOSUID | libc::MS_NODEV;
            if mount(kind, target, kind, flags, shown.overlay.as_ptr()).is_ok() {
                return Ok(());
            }
        }
        mount(source, target, none, libc::MS_BIND | libc::MS_REC, none)?;
        match shown.access {
            Access::Writable => Ok(()),
            // Where nothing can be laid over it, it can at least be read.
            Access::ReadOnly | Access::Forgetful => read_only(target),
        }
    }
}

unsafe fn read_only(target: *const c_char) -> io::Result<()> {
    let attributes = MountAttributes {
        set: READ_ONLY | NO_SET_ID,
        clear: 0,
        propagation: 0,
        user_namespace: 0,
    };
    // SAFETY: a plain system call on memory on this stack.
    check(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            target,
            RECURSIVE,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    } as c_int)
}

/// The processes of the sandbox; where the kernel hides parts of its own, those that are there already.
unsafe fn show_processes(plan: &Plan) -> io::Result<()> {
    let none = ptr::null();
    // SAFETY: system calls with names that live as long as the plan.
    unsafe {
        let (kind, target) = (c"proc".as_ptr(), plan.proc_folder.as_ptr());
        let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
        if plan.is_alone && mount(kind, target, kind, flags, none).is_ok() {
            return Ok(());
        }
        let host = c"/proc".as_ptr();
        mount(host, target, none, libc::MS_BIND | libc::MS_REC, none)
    }
}

/// Gives up all rights that the user does not have anyway, for good.
unsafe fn renounce() -> io::Result<()> {
    // SAFETY: plain system calls on memory on this stack.
    unsafe {
        check(libc::prctl(
            libc::PR_SET_NO_NEW_PRIVS,
            1 as c_ulong,
            0,
            0,
            0,
        ))?;
        check(libc::prctl(libc::PR_SET_SECUREBITS, NEVER_ROOT, 0, 0, 0))?;
        let header = [CAPABILITY_VERSION, 0];
        let none = [0u32; 6];
        check(libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) as c_int)
    }
}

/// Closes all but the standard streams: what the parent waits for is the program's.
unsafe fn close_others() {
    // SAFETY: plain system calls; nothing else in this process uses descriptors.
    unsafe {
        if libc::syscall(libc::SYS_close_range, 3, c_int::MAX, 0) != 0 {
            for descriptor in 3..4096 {
                libc::close(descriptor);
            }
        }
    }
}

/// Waits for a process, and for all others that come to be this one's; how it ended.
unsafe fn wait_for(process: libc::pid_t) -> c_int {
    let mut status = 0;
    loop {
        // SAFETY: a plain system call on memory on this stack.
        let ended = unsafe { libc::waitpid(-1, &mut status, 0) };
        // SAFETY: the place of the last error of this thread.
        if ended == process || (ended < 0 && unsafe { *libc::__errno_location() } != libc::EINTR) {
            return status;
        }
    }
}

/// Ends this process as another ended.
unsafe fn end_like(status: c_int) -> ! {
    // SAFETY: plain system calls on memory on this stack.
    unsafe {
        if libc::WIFSIGNALED(status) {
            let signal = libc::WTERMSIG(status);
            libc::signal(signal, libc::SIG_DFL);
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
            libc::kill(libc::getpid(), signal);
            libc::_exit(128 + signal);
        }
        libc::_exit(libc::WEXITSTATUS(status))
    }
}
